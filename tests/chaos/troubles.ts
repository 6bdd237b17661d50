import { Database } from 'bun:sqlite'
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { dirname, join } from 'node:path'

import type { Simulator } from '../../src/simulator/platform'
import { RawSocket } from '../support/raw-socket'
import type { ServerProcess } from '../support/process'
import { protect } from './disks'
import type { Installation } from './installation'

/** What a trouble may use, while webhooks come in, messages go out and sockets are open. */
export interface Scene {
  server: ServerProcess
  simulator: Simulator
  installation: Installation
  /** Access tokens of people. */
  tokens: string[]
  /** How many webhooks were refused or lost so far. */
  refused: () => number
  /** Lets the platform not answer the next calls for so long. */
  hang: (ms: number, times: number) => void
  /** Stops sending and waits until nothing is on its way; returns how to go on. */
  withoutSends: () => Promise<() => void>
}

/** Something bad that happens to a server which goes on living. */
export interface Trouble {
  name: string
  /** Log lines of level warn or above that it may cause. */
  complaints?: RegExp
  /** Sends whose outcome it may leave unknown. */
  unsure?: number
  happen: (scene: Scene) => Promise<void>
}

const DAY_MS = 24 * 60 * 60 * 1_000
const DEADLINE_MS = 20_000

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + DEADLINE_MS
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`${what} did not come`)
    await Bun.sleep(20)
  }
}

/** The process stands still for a while, as in a virtual machine that is moved. */
export const standsStill = (seconds: number): Trouble => ({
  name: `stands still for ${seconds} s`,
  async happen({ server }) {
    server.signal('SIGSTOP')
    await Bun.sleep(seconds * 1_000)
    server.signal('SIGCONT')
  },
})

/**
 * The wall clock jumps by a day, and back after a while. The server must have been started with
 * `skewedCommand`.
 */
export const clockJumps = (days: number): Trouble => ({
  name: `the clock jumps by ${days} days`,
  complaints: /system clock moved back|processing is more than ten minutes behind/,
  async happen({ server, installation, withoutSends }) {
    const goOn = await withoutSends()
    await Bun.sleep(1_000)
    for (const offByMs of [days * DAY_MS, 0]) {
      writeFileSync(installation.skewFile, String(offByMs))
      server.signal('SIGUSR2')
      await Bun.sleep(1_500)
    }
    goOn()
  },
})

const isReadable = async (server: ServerProcess, token = ''): Promise<boolean> =>
  (
    await fetch(`${server.url}/api/contacts?limit=1`, {
      headers: { authorization: `Bearer ${token}` },
    })
  ).status === 200

/** Writes until not a page more fits. */
function fill(file: number): void {
  for (const bytes of [1 << 20, 1 << 12])
    try {
      for (;;) writeSync(file, new Uint8Array(bytes))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
}

/**
 * The disk is full, and after a while there is room again. Needs a file system of its own that is
 * small.
 */
export const diskFills: Trouble = {
  name: 'the disk fills',
  complaints: /storage unavailable|of the disk free; server not ready/,
  unsure: 8,
  async happen({ server, installation, refused, tokens }) {
    const filler = join(installation.folder, 'filler')
    const file = openSync(filler, 'w')
    fill(file)
    const before = refused()
    await until('a refused webhook', () => refused() > before + 5)
    await Bun.sleep(1_500)
    if (!(await isReadable(server, tokens[0])))
      throw new Error('nothing can be read while the disk is full')
    closeSync(file)
    rmSync(filler)
  },
}

const toldOf = (server: ServerProcess, words: string): number =>
  server.lines.filter((line) => line.includes(words)).length

/**
 * Nothing on the disk can be written, and after a while it can again; the log says each of it once.
 * Needs a `protectableDisk`.
 */
export const diskReadOnly: Trouble = {
  name: 'the disk is read-only',
  complaints: /storage unavailable|of the disk free; server not ready/,
  unsure: 8,
  async happen({ server, installation, refused, tokens }) {
    const told = ['storage unavailable', 'storage available again'].map((words) => ({
      words,
      times: toldOf(server, words),
    }))
    const before = refused()
    const release = protect(dirname(installation.databasePath))
    try {
      await until('a refused webhook', () => refused() > before + 5)
      await Bun.sleep(1_500)
      if ((await fetch(`${server.url}/ready`)).status !== 503)
        throw new Error('it says that it is ready while nothing can be written')
      if (!(await isReadable(server, tokens[0])))
        throw new Error('nothing can be read while the disk is read-only')
    } finally {
      release()
    }
    for (const { words, times } of told) {
      await until(`the line "${words}"`, () => toldOf(server, words) > times)
      if (toldOf(server, words) !== times + 1)
        throw new Error(`"${words}" was logged ${toldOf(server, words) - times} times`)
    }
  },
}

/** Another process holds the database for longer than anybody waits. */
export const databaseLocked: Trouble = {
  name: 'the database is locked',
  complaints: /storage unavailable|of the disk free; server not ready/,
  unsure: 8,
  async happen({ server, installation, refused, tokens }) {
    const other = new Database(installation.databasePath)
    other.run('pragma busy_timeout = 5000')
    other.run('begin immediate')
    const before = refused()
    try {
      await until('a refused webhook', () => refused() > before)
      if (!(await isReadable(server, tokens[0])))
        throw new Error('nothing can be read while the database is locked')
    } finally {
      other.run('rollback')
      other.close()
    }
  },
}

/** The platform cuts the line, answers what nobody understands, or far too much of it. */
export const platformTalksNonsense: Trouble = {
  name: 'the platform talks nonsense',
  unsure: 12,
  async happen({ simulator }) {
    simulator.loseAnswer({ times: 3 })
    simulator.answerHtml(200, { times: 2 })
    simulator.answerNoise(1_000, { times: 2 })
    simulator.answerNoise(3 * 1024 * 1024, { times: 2 })
    await Bun.sleep(2_500)
  },
}

/** The platform takes calls and does not answer them. */
export const platformHangs: Trouble = {
  name: 'the platform hangs',
  unsure: 4,
  async happen({ hang }) {
    hang(33_000, 2)
    await Bun.sleep(34_000)
  },
}

/** Requests that never end, and sockets nobody reads; they stay until the end of what follows. */
export function deadWeight(): { trouble: Trouble; end: () => void } {
  const lines: Socket[] = []
  const sockets: RawSocket[] = []
  const trouble: Trouble = {
    name: 'half-open lines and sockets nobody reads',
    async happen({ server, tokens }) {
      const { hostname, port } = new URL(server.url)
      for (let nth = 0; nth < 40; nth += 1) {
        const line = connect({ host: hostname, port: Number(port) })
        line.on('error', () => undefined)
        line.write(
          nth % 2 === 0
            ? 'POST /api/webhook HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n\r\n{"ob'
            : 'GET /ws HTTP/1.1\r\nhos',
        )
        lines.push(line)
      }
      for (const token of [...tokens, ...tokens]) {
        const { socket } = await RawSocket.ask(server.url, `/ws?token=${token}&since=0`)
        socket.pause()
        sockets.push(socket)
      }
    },
  }
  return {
    trouble,
    end: () =>
      [...lines, ...sockets].forEach((line) => ('destroy' in line ? line.destroy() : line.end())),
  }
}
