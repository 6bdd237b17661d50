import type { Server } from 'bun'

import type { Program } from '../../src/container'
import { createApp } from '../../src/app'
import { listenFor } from '../../src/listen'
import { INEXACT, watchAnswers } from './exact-answers'

/** A program that is reached over HTTP, and the way to end that. */
export interface Hosted {
  port: number
  /** Afterwards nobody reaches the program any more, and nothing it was asked for goes on. */
  end(): Promise<void>
}

/** What an app hangs on: programs that differ in it are never served by the same one. */
const kindOf = ({ http }: Program): string =>
  JSON.stringify([http.version, http.settings.baseUrl, http.settings.orgCreation])

/**
 * What an app may look at while it is put together: `kindOf` tells programs apart by it, or the app
 * itself fills it in.
 */
const MAY_BE_KEPT = new Set([
  'http.version',
  'http.settings.baseUrl',
  'http.settings.orgCreation',
  'http.creatingRoutes',
  'http.idPlaces',
  'http.patterns',
])

/**
 * Stands for something that is another one at another time, whichever `of` gives when it is used.
 * While `isBuilding` it hands out stand-ins of what it holds too, and throws when anything else is
 * looked at, for who looks then would keep what is there now.
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
    // called once the app listens
    const hub = { ...program.hub, attach: () => void (this.isBuilding = false) }
    const served = { ...parts, hub }
    const { app } = createApp(served)
    watchAnswers(app.routes, (route) => this.program.http.log.debug({ route }, INEXACT))
    this.server = listenFor(served, { host: '127.0.0.1', port: 0 }, { app })
    this.server.unref() // an app that waits for its next program keeps no process alive
    this.open(program)
  }

  get port(): number {
    return this.server.port ?? 0
  }

  /** Serves another program from now on. */
  open(program: Program): void {
    const { creatingRoutes, idPlaces, patterns } = this.program.http
    Object.assign(program.http, { creatingRoutes, idPlaces, patterns })
    this.program = program
    program.hub.attach(this.server)
    program.lifecycle.phase = 'running'
  }

  /**
   * Waits a turn, in which what follows an answer is done; then whether nobody has a socket or
   * waits for an answer.
   */
  async isAtRest(): Promise<boolean> {
    await new Promise((resolve) => setImmediate(resolve))
    return this.server.pendingRequests === 0 && this.server.pendingWebSockets === 0
  }

  async close(): Promise<void> {
    await this.server.stop(true)
  }
}

/** Apps that nobody uses, by what they hang on. */
const vacant = new Map<string, House[]>()

/**
 * Makes a program reachable on a port of this machine: by an app that another program has left when
 * there is one, for to put an app together and to compile it takes four times as long as all else a
 * world needs. Routes keep nothing of their own, so what is asked for is looked up in the present
 * program. An app somebody still hangs on is closed and never used again.
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
    async end() {
      if (await house.isAtRest()) houses.push(house)
      else await house.close()
    },
  }
}
