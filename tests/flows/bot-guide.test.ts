import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Loose } from '../support/client'
import { Inbox } from '../support/inbox'
import { keyOf } from '../support/keys'
import { deliver, personOf, takenBodies, textTo } from '../support/lines'

const GUIDE = readFileSync(join(import.meta.dir, '../../src/docs/write-a-bot.md'), 'utf8')

/** The program that the guide shows in a language. */
function programIn(language: string): string {
  const [, program] = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(GUIDE) ?? []
  if (program === undefined) throw new Error(`the guide has no program in ${language}`)
  return program
}

/**
 * A Python that has what the guide says is needed; `null` where there is none and none can be made.
 */
function pythonIn(folder: string): string | null {
  const has = (python: string): boolean =>
    Bun.spawnSync([python, '-c', 'import websockets.sync.client']).success
  const installed = Bun.which('python3')
  if (installed === null || has(installed)) return installed
  const made = join(folder, 'venv/bin/python')
  Bun.spawnSync([installed, '-m', 'venv', join(folder, 'venv')])
  Bun.spawnSync([made, '-m', 'pip', 'install', '--quiet', 'websockets'])
  return has(made) ? made : null
}

const folder = mkdtempSync(join(tmpdir(), 'switchboard-bot-'))
const python = pythonIn(folder)

/** The bot of the guide, while it runs. */
class Bot {
  private running: Bun.Subprocess | null = null
  readonly cursor = join(folder, `${crypto.randomUUID()}.json`)

  constructor(
    private readonly command: string[],
    private readonly env: Record<string, string>,
  ) {}

  start(): void {
    const env = { PATH: process.env['PATH'] ?? '', ...this.env, CURSOR_FILE: this.cursor }
    this.running = Bun.spawn(this.command, { env, stdout: 'inherit', stderr: 'inherit' })
  }

  /** Kills it where it stands. */
  async kill(): Promise<void> {
    this.running?.kill('SIGKILL')
    await this.running?.exited
  }
}

/** A line to a server that can lose the response to an answer the bot gives. */
class Line {
  /** Loses the next one, and is false again then. */
  losesNext = false
  private readonly server: Server
  private readonly ends = new Set<Socket>()

  constructor(target: string) {
    const { hostname, port } = new URL(target)
    this.server = createServer((client) => {
      const upstream = connect(Number(port), hostname)
      let isLost = false
      client.on('data', (bytes) => {
        isLost ||= this.losesNext && /^POST \S+\/messages /.test(bytes.toString())
        upstream.write(bytes)
      })
      upstream.on('data', (bytes) => {
        if (!isLost) return void client.write(bytes)
        this.losesNext = false
        client.destroy()
      })
      for (const [end, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.ends.add(end)
        end.on('error', () => undefined).on('close', () => other.destroy())
      }
    })
  }

  /** Opens the line. Returns its address. */
  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  close(): void {
    for (const end of this.ends) end.destroy()
    this.server.close()
  }
}

/**
 * The languages of the guide, each with the file of its program and what runs it. Python is there
 * where it is installed.
 */
const LANGUAGES: [name: string, file: string, runner: string][] = [
  ['ts', 'bot.ts', process.execPath],
  ...(python === null ? [] : [['python', 'bot.py', python] satisfies [string, string, string]]),
]

afterAll(() => rmSync(folder, { recursive: true }))

for (const [language, file, runner] of LANGUAGES)
  describe(`the example bot of the guide in ${language}`, () => {
    let inbox: Inbox
    let bot: Bot
    let line: Line

    beforeAll(async () => {
      writeFileSync(join(folder, file), programIn(language))
      inbox = await Inbox.create()
      const permissions = (GUIDE.match(/"permissions": (\[.*\])/) ?? [])[1] ?? '[]'
      const { key } = await keyOf(inbox.world, { permissions: JSON.parse(permissions) as string[] })
      line = new Line(inbox.world.url)
      bot = new Bot([runner, join(folder, file)], {
        SWITCHBOARD_URL: await line.open(),
        SWITCHBOARD_KEY: key,
      })
    })

    afterAll(async () => {
      await bot.kill()
      line.close()
      await inbox.world.stop()
    })

    const answers = (): string[] =>
      takenBodies(inbox.world).map((body) => body['text']['body'] as string)
    const hears = (text: string): Promise<void> =>
      deliver(inbox.world, textTo(inbox.world, text, { person: personOf(1) }))
    const cursor = (): Loose | null =>
      Bun.file(bot.cursor).size === 0
        ? null
        : (JSON.parse(readFileSync(bot.cursor, 'utf8')) as Loose)

    /** Lets the server do what is due until something holds. */
    async function until(holds: () => boolean): Promise<void> {
      for (const endMs = Date.now() + 20_000; !holds();) {
        if (Date.now() > endMs)
          throw new Error(`that did not happen; answered so far: ${answers().join(', ')}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
        await inbox.world.settle()
      }
    }

    test('answers messages from before its start and marks them as read', async () => {
      await hears('first')
      bot.start()
      await until(() => cursor() !== null)
      expect(answers()).toEqual(['You said: first'])
      expect(await inbox.of(1)).toMatchObject({ unread_count: 0 })
    })

    test('answers messages that arrive while it is connected', async () => {
      await hears('second')
      await until(() => answers().length === 2)
      expect(answers()).toEqual(['You said: first', 'You said: second'])
      const { data } = await inbox.manager.get(`${await inbox.path(1)}/messages`)
      const [, , heard, answer] = data['items'] as Loose[]
      expect(answer).toMatchObject({ source: 'api', reply_to: { id: heard?.['id'] } })
    })

    test('answers messages from its downtime once', async () => {
      const before = cursor()
      await bot.kill()
      await hears('third')
      bot.start()
      await until(
        () => answers().length === 3 && Number(cursor()?.['seq']) > Number(before?.['seq']),
      )
      expect(answers().at(-1)).toBe('You said: third')
    })

    test('answers nothing twice when it handles events again', async () => {
      const { log } = cursor() ?? {}
      await bot.kill()
      writeFileSync(bot.cursor, JSON.stringify({ log, seq: 0 }))
      await hears('fourth')
      bot.start()
      await until(() => answers().includes('You said: fourth') && Number(cursor()?.['seq']) > 0)
      await inbox.world.settle()
      expect(answers()).toEqual([
        'You said: first',
        'You said: second',
        'You said: third',
        'You said: fourth',
      ])
    })

    test('starts over when the event log was replaced', async () => {
      await bot.kill()
      writeFileSync(bot.cursor, JSON.stringify({ log: crypto.randomUUID(), seq: 5 }))
      await hears('fifth')
      bot.start()
      await until(() => answers().length === 5)
      expect(answers().at(-1)).toBe('You said: fifth')
    })

    test('answers once when the response to its own send is lost', async () => {
      line.losesNext = true
      await hears('sixth')
      await until(() => answers().length === 6 && !line.losesNext)
      const { seq } = cursor() ?? {}
      await hears('seventh')
      await until(() => answers().length === 7 && Number(cursor()?.['seq']) > Number(seq))
      expect(answers().slice(-2)).toEqual(['You said: sixth', 'You said: seventh'])
    })

    test('leaves messages it cannot answer to people', async () => {
      await bot.kill()
      await hears('eighth')
      inbox.world.clock.advance({ hours: 25 })
      await inbox.world.settle()
      const { seq } = cursor() ?? {}
      bot.start()
      await until(() => Number(cursor()?.['seq']) > Number(seq))
      expect(answers()).toHaveLength(7)
      expect(await inbox.of(1)).toMatchObject({ unread_count: 1 })
    })
  })
