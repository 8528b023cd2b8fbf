import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';

/** What to do with one request in place of passing it on. Undefined: pass it on. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number }
  /** Cuts the connection before any answer. */
  | { readonly kind: 'cut' }
  /** Passes the answer on until this many bytes of its body, then cuts the connection. */
  | { readonly kind: 'cut-body'; readonly after: number };

/** An HTTP proxy before a real server, which makes the faults that the server cannot. Signed hosts stay as they were. */
export class FaultProxy {
  readonly #server: Server;
  readonly #targetPort: number;
  /** Asked for each request, in order of arrival. */
  decide: (request: IncomingMessage) => Fault | undefined = () => undefined;
  /** Requests seen. */
  count = 0;

  private constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer((incoming, outgoing) => this.#serve(incoming, outgoing));
  }

  static async start(targetPort: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(targetPort);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get endpoint(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #serve(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.count += 1;
    const fault = this.decide(incoming);
    if (fault?.kind === 'cut') {
      incoming.socket.destroy();
      return;
    }
    if (fault?.kind === 'status') {
      incoming.resume();
      incoming.on('end', () => outgoing.writeHead(fault.status).end());
      return;
    }
    this.#passOn(incoming, outgoing, fault?.after);
  }

  #passOn(incoming: IncomingMessage, outgoing: ServerResponse, cutAfter = Number.POSITIVE_INFINITY): void {
    const { method, url, headers } = incoming;
    const target = { port: this.#targetPort, host: '127.0.0.1', method: method ?? 'GET', path: url ?? '/', headers };
    const onward = request(target, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      let sent = 0;
      answer.on('data', (chunk: Buffer) => {
        outgoing.write(chunk.subarray(0, Math.max(0, cutAfter - sent)));
        sent += chunk.length;
        if (sent >= cutAfter) setImmediate(() => outgoing.destroy());
      });
      answer.on('end', () => outgoing.end());
      answer.on('error', () => outgoing.destroy());
    });
    onward.on('error', () => incoming.socket.destroy());
    incoming.on('error', () => onward.destroy());
    incoming.pipe(onward);
  }
}
