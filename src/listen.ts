import type { Server } from 'bun'

import { createApp } from './app'
import type { Program } from './container'

/** The server cannot listen on its address. The message is one sentence for the operator. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}

/** The address of a server. */
export interface ListenAddress {
  host: string
  port: number
  /** Seconds after which an idle connection is closed. Defaults to 60. */
  idleS?: number
  /** Frees the port just before it is listened on. */
  takeOver?: () => void
}

/**
 * Serves requests and sockets of a program. The caller runs its relay and its worker. Throws
 * ListenError.
 */
export function listenFor(
  program: Program,
  at: ListenAddress,
  { app }: Pick<ReturnType<typeof createApp>, 'app'> = createApp(program),
): Server<unknown> {
  at.takeOver?.()
  const server = listen(app, at)
  program.hub.attach(server)
  program.lifecycle.phase = 'running'
  return server
}

/** Idle time after which a connection is closed, also while a client reads no response. Seconds. */
const IDLE_S = 60

function listen(app: ReturnType<typeof createApp>['app'], at: ListenAddress): Server<unknown> {
  const known = process.listeners('beforeExit')
  orListenError(at, () =>
    app.listen({ hostname: at.host, port: at.port, idleTimeout: at.idleS ?? IDLE_S }),
  )
  // Elysia registers a process handler that keeps every app in memory. The server stops apps itself.
  for (const listener of process.listeners('beforeExit'))
    if (!known.includes(listener)) process.off('beforeExit', listener)
  if (!app.server) throw addressError(at)
  return app.server as Server<unknown>
}

/** Returns what `listen` returns. Throws ListenError if the address cannot be used. */
export function orListenError<T>(at: { host: string; port: number }, listen: () => T): T {
  try {
    return listen()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'EACCES' || code === 'EPERM')
      throw new ListenError(privilegeMessage(at.port, 'PORT'))
    if (code === 'EADDRINUSE')
      throw new ListenError(
        `Port ${at.port} is already in use, perhaps by another Switchboard process. Stop that ` +
          'program, or set PORT to a free one.',
      )
    if (typeof code === 'string') throw addressError(at)
    throw error
  }
}

/** Says why a port is refused to this user. `setting` is the one that names the port. */
export const privilegeMessage = (port: number, setting: string): string =>
  `User ${process.getuid?.() ?? ''} may not listen on port ${port}: ports below 1024 need root or ` +
  `CAP_NET_BIND_SERVICE. Set ${setting} to 1024 or higher, and let a reverse proxy listen on ${port}.`

const addressError = (at: { host: string; port: number }): ListenError =>
  new ListenError(`Cannot listen on ${at.host}:${at.port}. Set HOST and PORT.`)
