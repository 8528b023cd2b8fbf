/** Certificates made by the `openssl` command for one test, in a folder of its own. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const opensslMissing = spawnSync('openssl', ['version']).status !== 0;

/** Paths of PEM files. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

export interface Authority extends Identity {
  /** A certificate signed by this authority. `names` are DNS names or, written `IP:…`, addresses. */
  issue(name: string, names?: readonly string[]): Identity;
}

function openssl(args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}

const keyArguments = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export function makeAuthority(dir: string, name: string): Authority {
  const at = (file: string): string => join(dir, `${name}-${file}`);
  const authority = { cert: at('ca.pem'), key: at('ca.key') };
  openssl([
    'req',
    '-x509',
    ...keyArguments,
    '-subj',
    `/CN=${name}`,
    '-days',
    '2',
    '-out',
    authority.cert,
    '-keyout',
    authority.key,
  ]);
  return {
    ...authority,
    issue(subject, names = []) {
      const issued = { cert: at(`${subject}.pem`), key: at(`${subject}.key`) };
      const [request, extensions] = [at(`${subject}.csr`), at(`${subject}.ext`)];
      const alternatives = names.map((entry) => (entry.startsWith('IP:') ? entry : `DNS:${entry}`)).join(',');
      const lines = ['basicConstraints=CA:FALSE', ...(alternatives === '' ? [] : [`subjectAltName=${alternatives}`])];
      // With an extension it is X.509 version 3; some clients take no older one.
      writeFileSync(extensions, `${lines.join('\n')}\n`);
      openssl(['req', ...keyArguments, '-subj', `/CN=${subject}`, '-out', request, '-keyout', issued.key]);
      const signing = ['-CA', authority.cert, '-CAkey', authority.key, '-CAcreateserial', '-days', '2'];
      openssl(['x509', '-req', '-in', request, ...signing, '-extfile', extensions, '-out', issued.cert]);
      return issued;
    },
  };
}
