import { Runtime } from '@temporalio/worker';

/**
 * Downloads the Temporal CLI into a folder: `node sdk-download-main.js <folder> <version>`. The SDK only offers to download
 * and start a server at once, so the server is stopped again.
 */
const [folder, version] = process.argv.slice(2);
if (folder === undefined || version === undefined) throw new Error('usage: sdk-download-main.js <folder> <version>');

process.on('uncaughtException', (error) => {
  // The parent shows this line beside the failures of the other steps; a stack trace would bury it.
  console.error(error.message);
  process.exit(1);
});

const runtime = Runtime.instance();
const server = await runtime.createEphemeralServer({
  type: 'dev-server',
  exe: {
    type: 'cached-download',
    downloadDir: folder,
    version,
    ttl: 0,
    sdkName: 'sdk-typescript',
    sdkVersion: '1.24.0',
  },
  namespace: 'default',
  ip: '127.0.0.1',
  port: null,
  uiPort: null,
  dbFilename: null,
  ui: false,
  log: { format: 'json', level: 'error' },
  extraArgs: [],
});
await runtime.shutdownEphemeralServer(server);
process.exit(0);
