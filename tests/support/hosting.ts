import type { Server } from 'bun'

import type { Program } from '../../src/container'
import { createApp } from '../../src/app'
import { listenFor } from '../../src/listen'
import { INEXACT, watchAnswers } from './exact-answers'

/** A program that is reached over HTTP, and the way to end that. */
export interface Hosted {
  port: number
  /** Whether no socket and no request is open. */
  isAtRest(): Promise<boolean>
  /** Serves another program at the same port from now on. */
  replace(program: Program): void
  /** Disconnects the program from its app. No request of it continues. */
  end(): Promise<void>
}

/** Key of programs that can share an app. */
const kindOf = ({ http }: Program): string =>
  JSON.stringify([http.version, http.settings.baseUrl, http.settings.orgCreation])

/**
 * Parts that an app may read while it is built: `kindOf` distinguishes programs by them, or the app
 * fills them in itself.
 */
const MAY_BE_KEPT = new Set([
  'http.version',
  'http.settings.baseUrl',
  'http.settings.orgCreation',
  'http.creatingRoutes',
  'http.idPlaces',
  'http.oversizedFinders',
  'http.credentialRoutes',
  'http.startParts',
  'http.patterns',
])

/**
 * Returns a proxy for an object that changes over time, as returned by `of`. While `isBuilding`, it
 * also returns proxies for the object's members, and throws if another member is read, because the
 * reader would keep the current value.
 */
export function standIn<T extends object>(of: () => T, isBuilding: () => boolean, name = ''): T {
  const look = (key: PropertyKey): unknown => {
    const found: unknown = Reflect.get(of(), key)
    const place = `${name}${String(key)}`
    if (!isBuilding() || MAY_BE_KEPT.has(place)) return found
    if (typeof found === 'object' && found !== null)
      return standIn(() => Reflect.get(of(), key) as object, isBuilding, `${place}.`)
    throw new Error(
      `the app looks at ${place} while it is put together, and would keep it for every program it serves`,
    )
  }
  return new Proxy({} as T, {
    get: (_, key) => look(key),
    set: (_, key, value) => Reflect.set(of(), key, value),
    has: (_, key) => Reflect.has(of(), key),
    ownKeys: () => Reflect.ownKeys(of()),
    getPrototypeOf: () => Reflect.getPrototypeOf(of()),
    getOwnPropertyDescriptor: (_, key) => {
      const found = Reflect.getOwnPropertyDescriptor(of(), key)
      return (
        found && {
          value: look(key),
          configurable: true,
          enumerable: found.enumerable ?? false,
          writable: true,
        }
      )
    },
  })
}

/** The real app, listening, and the program it serves at the moment. */
class House {
  private isBuilding = true
  private readonly server: Server<unknown>

  constructor(private program: Program) {
    const parts = standIn(
      () => this.program,
      () => this.isBuilding,
    )
    // Called once the app listens.
    const hub = { ...program.hub, attach: () => void (this.isBuilding = false) }
    const served = { ...parts, hub }
    const { app } = createApp(served)
    watchAnswers(app.routes, (route) => this.program.http.log.debug({ route }, INEXACT))
    this.server = listenFor(served, { host: '127.0.0.1', port: 0 }, { app })
    this.server.unref() // an idle app does not keep the process alive
    this.open(program)
  }

  get port(): number {
    return this.server.port ?? 0
  }

  /** Serves another program from now on. */
  open(program: Program): void {
    const { creatingRoutes, idPlaces, oversizedFinders, credentialRoutes, startParts, patterns } =
      this.program.http
    Object.assign(program.http, {
      ...{ creatingRoutes, idPlaces, oversizedFinders, credentialRoutes, startParts, patterns },
    })
    this.program = program
    program.hub.attach(this.server)
    program.lifecycle.phase = 'running'
  }

  /**
   * Waits one event loop iteration, in which work after a response is done. Returns whether no
   * socket and no request is open.
   */
  async isAtRest(): Promise<boolean> {
    await new Promise((resolve) => setImmediate(resolve))
    return this.server.pendingRequests === 0 && this.server.pendingWebSockets === 0
  }

  async close(): Promise<void> {
    await this.server.stop(true)
  }
}

/** Idle apps by the key of their programs. */
const vacant = new Map<string, House[]>()

/**
 * Serves a program on a local port, through an idle app of an earlier program if there is one.
 * Building and compiling an app takes four times as long as everything else in a world. Routes keep
 * no state, so requests use the current program. An app that is still in use is closed and never
 * reused.
 */
export function host(program: Program): Hosted {
  const kind = kindOf(program)
  const houses = vacant.get(kind) ?? []
  vacant.set(kind, houses)
  const known = houses.pop()
  known?.open(program)
  const house = known ?? new House(program)
  return {
    port: house.port,
    isAtRest: () => house.isAtRest(),
    replace: (next) => house.open(next),
    async end() {
      if (await house.isAtRest()) houses.push(house)
      else await house.close()
    },
  }
}
