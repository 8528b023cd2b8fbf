/**
 * Fetches what the URLs of a media column lead to. The URLs come from data, which anybody may have written, so that private
 * networks (this machine, the local one, a cloud's metadata service) are not reached, unless the user named the host.
 */
import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { type IncomingMessage, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP } from 'node:net';

export interface MediaFetchOptions {
  /** `host` or `host:port` that may be at a private address. */
  readonly privateHosts?: readonly string[];
  /** Longest that one URL may take with all its redirects, in ms; default 30,000. */
  readonly timeoutMs?: number;
  /** Most bytes that are taken from one URL; default 64 MiB. */
  readonly maxBytes?: number;
  /** In place of the system's resolver; for tests. */
  readonly lookup?: typeof dnsLookup;
}

export type FetchedMedia =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly problem: string };

/** Never rejects: what goes wrong is a problem of the row. */
export type FetchMedia = (url: string) => Promise<FetchedMedia>;

const defaultTimeoutMs = 30_000;
const defaultMaxBytes = 64 * 2 ** 20;
const maxRedirects = 5;

/** IANA's special-purpose registries: what is not of the public internet. IPv4 rows hold for IPv4-mapped IPv6 addresses too. */
const privateRanges: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

const privateAddresses = new BlockList();
for (const [net, prefix] of privateRanges) privateAddresses.addSubnet(net, prefix, net.includes(':') ? 'ipv6' : 'ipv4');

/** Whether an IP address belongs to this machine or to a private network. */
export function isPrivateAddress(address: string): boolean {
  return privateAddresses.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** What is wrong with a URL, as the end of a sentence that begins with it. */
class Problem extends Error {}

const privateProblem = (address: string): Problem =>
  new Problem(`leads to the private address ${address}; name its host in FERMATA_MEDIA_HOSTS if that is meant`);

/**
 * @example
 * const fetchMedia = createMediaFetch({ privateHosts: ['images.intern:8080'] });
 * const got = await fetchMedia('https://example.com/car.png');
 */
export function createMediaFetch(options: MediaFetchOptions = {}): FetchMedia {
  const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
  return async (url) => {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      return { ok: true, bytes: await follow(new URL(url), options, signal) };
    } catch (error) {
      if (error instanceof Problem) return { ok: false, problem: error.message };
      const reason = signal.aborted ? `it took longer than ${timeoutMs / 1000} s` : (error as Error).message;
      return { ok: false, problem: `cannot be fetched (${reason})` };
    }
  };
}

async function follow(first: URL, options: MediaFetchOptions, signal: AbortSignal): Promise<Uint8Array> {
  let url = first;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const response = await ask(url, options, signal);
    const { statusCode: status = 0, headers } = response;
    if (status >= 200 && status < 300) return body(response, options.maxBytes ?? defaultMaxBytes);
    response.destroy();
    if (status < 300 || status >= 400 || headers.location === undefined) {
      throw new Problem(`cannot be fetched (HTTP ${String(status)})`);
    }
    url = new URL(headers.location, url);
  }
  throw new Problem(`cannot be fetched (more than ${maxRedirects} redirects)`);
}

/** One request, sent to an address that has been checked: the name is resolved once, for the check and the connection. */
function ask(url: URL, options: MediaFetchOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const request = { 'http:': httpRequest, 'https:': httpsRequest }[url.protocol];
  if (request === undefined) throw new Problem(`leads to ${url.protocol}, which is not fetched`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const free = options.privateHosts?.some((name) => name === host || name === url.host) === true;
  // For an address the resolver is not asked.
  if (!free && isIP(host) !== 0 && isPrivateAddress(host)) throw privateProblem(host);
  const resolve = options.lookup ?? dnsLookup;
  return new Promise((done, fail) => {
    const asked = request(url, {
      signal,
      headers: { 'accept-encoding': 'identity', accept: 'image/*, audio/*, */*;q=0.5' },
      lookup: free ? resolve : publicLookup(resolve),
    });
    asked.once('response', done);
    asked.once('error', fail);
    asked.end();
  });
}

/** A resolver that fails where a name has a private address, be it one of several. */
function publicLookup(resolve: typeof dnsLookup): NonNullable<RequestOptions['lookup']> {
  return (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      const found: readonly LookupAddress[] = error === null ? addresses : [];
      const bad = found.find(({ address }) => isPrivateAddress(address));
      if (error !== null || bad !== undefined) done(error ?? privateProblem(bad?.address ?? ''), '', 0);
      else if (options.all === true) done(null, [...found]);
      else done(null, found[0]?.address ?? '', found[0]?.family ?? 4);
    });
  };
}

async function body(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = new Problem(`is larger than ${String(Math.floor(maxBytes / 2 ** 20))} MiB`);
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) {
    response.destroy();
    throw tooLarge;
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop ends the transfer.
  for await (const part of response as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > maxBytes) throw tooLarge;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
