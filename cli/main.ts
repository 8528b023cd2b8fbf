#!/usr/bin/env node
import * as module from 'node:module';
import { processIo } from './io.js';
import { loadServices } from './load-services.js';
import { runCli } from './program.js';

// From Node 22.1 on, compiled code is kept between starts.
(module as { readonly enableCompileCache?: () => unknown }).enableCompileCache?.();

const code = await runCli(process.argv.slice(2), processIo(), loadServices());
// What a detached run leaves open (sockets, timers) must not keep the command alive; all output has been awaited.
process.exit(code);
