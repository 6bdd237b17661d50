import type { Server } from 'bun'

import type { Config } from './config'
import type { Program } from './container'
import { yieldToEventLoop } from './infra/event-loop'
import { IdleCollector } from './infra/gc'
import { measureLoopLag } from './infra/metrics/event-loop-lag'
import { SECOND_MS } from './lib/clock'
import { listenFor, type ListenAddress } from './listen'

/** A server that serves requests. */
export interface RunningServer {
  port: number
  program: Program
  /**
   * Stops gracefully: refuses new work, closes the sockets, waits a while for running requests and
   * jobs, and leaves a database without a write-ahead log.
   */
  stop(): Promise<void>
}

/** Listens and starts all background work of a program. Throws ListenError. */
export function runProgram(
  program: Program,
  config: Pick<Config, 'shutdownS'> & ListenAddress,
): RunningServer {
  const { relay, worker, ingest, realtime, webhookReader } = program
  relay.drain()
  const server = listenFor(program, config)
  // The executable starts with a higher one, because most code of a start runs once.
  Bun.unsafe.setJITPolicy(1)
  const loopLag = measureLoopLag()
  program.lifecycle.process = { pendingRequests: () => server.pendingRequests, loopLag }
  program.http.loopWaits.take = () => loopLag.take('figures')
  program.http.db.afterCommit = () => {
    relay.wake()
    worker.wake()
  }
  worker.start()
  ingest.loop.start()
  webhookReader.loop.start()
  realtime.sockets.start()
  const { eventLoop } = program.http
  const heap = new IdleCollector(() => server.pendingRequests === 0 && !eventLoop.isServerBusy)
  heap.start()
  const { proxies, deliverySummary } = program.http
  proxies.start()
  deliverySummary.start()
  program.lifecycle.reserve.start()
  program.lifecycle.replica.start()
  const stop = async (): Promise<void> => {
    heap.stop()
    program.lifecycle.reserve.stop()
    program.lifecycle.replica.stop()
    await stopProgram(program, server, config.shutdownS * SECOND_MS)
    proxies.stop()
    deliverySummary.stop()
  }
  return { port: server.port ?? config.port, program, stop }
}

/** Time that requests still get after the grace period, milliseconds. */
const LAST_MOMENT_MS = 500

async function stopProgram(
  program: Program,
  server: Server<unknown>,
  graceMs: number,
): Promise<void> {
  program.lifecycle.phase = 'stopping'
  program.realtime.sockets.stop()
  const closed = server.stop(false)
  const requestsDone = untilZero(() => server.pendingRequests, graceMs)
  await Promise.all([program.worker.stop(graceMs), Promise.race([closed, requestsDone])])
  program.journal.close()
  program.ingest.loop.stop()
  program.webhookReader.loop.stop()
  await Promise.race([server.stop(true), pause(LAST_MOMENT_MS)])
  program.relay.drain()
  program.http.platform.close()
  program.http.fetchGuarded.close()
  program.http.cellClient.close()
  program.http.db.afterCommit = () => undefined
  program.lifecycle.process?.loopLag.stop()
  // A wake of the relay or the worker may still be pending; nothing touches the database after it.
  await yieldToEventLoop()
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function untilZero(count: () => number, atMostMs: number): Promise<void> {
  const untilMs = performance.now() + atMostMs
  while (count() > 0 && performance.now() < untilMs) await pause(10)
}
