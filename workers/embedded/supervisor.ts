import { randomUUID } from 'node:crypto';
import type { Server } from 'node:net';
import { hostname } from 'node:os';
import { workerVariables } from '../process/worker-environment.js';
import type { Logger } from '../telemetry/logger.js';
import type { ControlReply, ControlRequest, Launch, ProcessState, RunningStatus } from './control-protocol.js';
import { serveControl } from './control-server.js';
import { choosePorts, loopback, type ServerPorts } from './free-ports.js';
import { rotateLog } from './log-files.js';
import { identify, type ProcessIdentity } from './process-identity.js';
import { namespace, serverName, serverSpec } from './server-process.js';
import { logFile, readState, removeState, stackPaths, writePrivately, writeState } from './stack-state.js';
import type { StackPaths } from './stack-state.js';
import { SupervisedProcess } from './supervised-process.js';
import { workerSpec } from './worker-spec.js';

/** Starts the server and the workers, keeps them running, answers the control socket, and stops them all in order. */
export class Supervisor {
  readonly #id = randomUUID();
  readonly #launch: Launch;
  readonly #paths: StackPaths;
  readonly #log: Logger;
  readonly #startedAt = new Date().toISOString();
  readonly #identity: ProcessIdentity;
  #fingerprint: string;
  #workerEnv: NodeJS.ProcessEnv;
  #ports: ServerPorts;
  #server: SupervisedProcess | undefined;
  #workers: readonly SupervisedProcess[] = [];
  #control: Server | undefined;
  #housekeeping: NodeJS.Timeout | undefined;
  /** Changes of the set of workers, one after the other. */
  #changes: Promise<void> = Promise.resolve();
  #pendingChanges = 0;
  #stopped: Promise<void> | undefined;

  private constructor(launch: Launch, ports: ServerPorts, env: NodeJS.ProcessEnv, log: Logger) {
    this.#launch = launch;
    this.#paths = stackPaths(launch.home);
    this.#ports = ports;
    this.#fingerprint = launch.fingerprint;
    this.#workerEnv = env;
    this.#log = log;
    this.#identity = identify(process.pid) ?? { pid: process.pid, start: '', command: '' };
  }

  /** Starts everything; returns when it can be found and controlled, before all is ready. */
  static async start(launch: Launch, env: NodeJS.ProcessEnv, log: Logger): Promise<Supervisor> {
    const supervisor = new Supervisor(launch, await choosePorts(launch.previousPorts), env, log);
    await supervisor.#begin();
    return supervisor;
  }

  async #begin(): Promise<void> {
    const { settings, serverBinary, plan } = this.#launch;
    this.#writeSettings(settings);
    this.#control = await serveControl(this.#paths.controlSocket, (request) => this.#answer(request));
    // Before the first process starts: whatever happens next, a later command finds what to clear away.
    this.#writeState();
    this.#housekeeping = setInterval(() => this.#keepHouse(), plan.timings.housekeepingMs);
    const spec = serverSpec({
      binary: serverBinary,
      paths: this.#paths,
      plan,
      ports: () => this.#ports,
      movePorts: (moved) => this.#movePorts(moved),
    });
    this.#server = new SupervisedProcess(spec, plan.timings, this.#log, () => this.#writeState());
    // The workers wait for the server by themselves, so that loading their code overlaps with its start.
    this.#startWorkers();
  }

  /** Ends workers, then the server, then the control socket; removes the state files. Safe to call twice. */
  async stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  async #stopAll(): Promise<void> {
    this.#log.info('stopping');
    clearInterval(this.#housekeeping);
    await this.#changes;
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    await this.#server?.stop();
    this.#control?.close();
    if (this.#ownsState()) removeState(this.#paths);
    this.#log.info('stopped');
  }

  async #answer(request: ControlRequest): Promise<ControlReply> {
    const answers = {
      status: () => undefined,
      restartWorkers: (wanted: ControlRequest) => {
        if (wanted.op === 'restartWorkers') this.#reconfigure(wanted.fingerprint, wanted.settings, wanted.env);
      },
      stop: () => void this.stop().then(() => process.exit(0)),
    } satisfies Record<ControlRequest['op'], (wanted: ControlRequest) => void>;
    answers[request.op](request);
    return Promise.resolve({ ok: true, status: this.#status() });
  }

  #reconfigure(fingerprint: string, settings: Launch['settings'], env: NodeJS.ProcessEnv): void {
    // Two callers that noticed the same change must not restart the workers twice.
    if (fingerprint === this.#fingerprint) return;
    this.#fingerprint = fingerprint;
    this.#workerEnv = env;
    this.#writeSettings(settings);
    this.#replaceWorkers('settings or keys have changed');
  }

  #movePorts(moved: ServerPorts): void {
    this.#log.warn({ from: this.#ports, to: moved }, 'the ports of the server are taken; it moves');
    this.#ports = moved;
    this.#writeState();
    this.#replaceWorkers('the server has moved');
  }

  #replaceWorkers(reason: string): void {
    this.#pendingChanges += 1;
    this.#changes = this.#changes.then(async () => {
      this.#log.info({ reason }, 'restarting the workers');
      await Promise.all(this.#workers.map((worker) => worker.stop()));
      if (this.#stopped === undefined) this.#startWorkers();
      this.#pendingChanges -= 1;
    });
  }

  #startWorkers(): void {
    const { plan } = this.#launch;
    this.#workers = plan.workers.map(
      ({ name, main }) =>
        new SupervisedProcess(
          workerSpec({
            name,
            main,
            log: logFile(this.#paths, name),
            stopMs: plan.timings.workerStopMs,
            cwd: this.#paths.home,
            env: () => ({ ...this.#workerEnv, ...this.#contract(name) }),
          }),
          plan.timings,
          this.#log,
          () => this.#writeState(),
        ),
    );
  }

  #contract(name: string): NodeJS.ProcessEnv {
    return {
      [workerVariables.name]: name,
      [workerVariables.address]: this.#address(),
      [workerVariables.namespace]: namespace,
      [workerVariables.settings]: this.#paths.settings,
    };
  }

  #address(): string {
    return `${loopback}:${this.#ports.grpc}`;
  }

  #status(): RunningStatus {
    const processes = this.#all();
    return {
      id: this.#id,
      state:
        this.#stopped === undefined
          ? overall(
              processes.map(({ state }) => state),
              this.#pendingChanges,
            )
          : 'stopping',
      address: this.#address(),
      namespace,
      uiUrl: `http://${loopback}:${this.#ports.ui}`,
      fingerprint: this.#fingerprint,
      versions: this.#launch.versions,
      supervisorPid: process.pid,
      startedAt: this.#startedAt,
      processes: processes.map((child) => child.status()),
    };
  }

  #all(): SupervisedProcess[] {
    return this.#server === undefined ? [] : [this.#server, ...this.#workers];
  }

  #writeSettings(settings: Launch['settings']): void {
    writePrivately(this.#paths.settings, JSON.stringify(settings));
  }

  #writeState(): void {
    if (this.#stopped !== undefined) return;
    writeState(this.#paths, {
      format: 1,
      id: this.#id,
      host: hostname(),
      supervisor: this.#identity,
      controlSocket: this.#paths.controlSocket,
      ports: this.#ports,
      processes: Object.fromEntries(
        this.#all().flatMap(({ name, identity }) => (identity === undefined ? [] : [[name, identity]])),
      ),
    });
  }

  #ownsState(): boolean {
    return readState(this.#paths)?.id === this.#id;
  }

  /** A stack whose folder was deleted can no longer be found by anybody: it stops by itself. */
  #keepHouse(): void {
    if (!this.#ownsState()) {
      this.#log.warn('the state file is gone or belongs to another stack');
      void this.stop().then(() => process.exit(0));
      return;
    }
    for (const name of ['supervisor', serverName, ...this.#launch.plan.workers.map((worker) => worker.name)])
      rotateLog(logFile(this.#paths, name));
  }
}

function overall(states: readonly ProcessState[], pendingChanges: number): RunningStatus['state'] {
  if (states.includes('crash-loop')) return 'degraded';
  return pendingChanges === 0 && states.length > 0 && states.every((state) => state === 'ready') ? 'ready' : 'starting';
}
