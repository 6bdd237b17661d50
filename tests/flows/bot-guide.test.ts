import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { readDocument, writePython } from '../../src/clients/write'
import type { Loose } from '../support/client'
import { BOT_PERMISSIONS, botIn } from '../support/guide'
import { Inbox } from '../support/inbox'
import { keyOf } from '../support/keys'
import { deliver, personOf, takenBodies, textTo } from '../support/lines'
import { findPython } from '../support/python'
import { Line } from '../support/tcp-line'

const folder = mkdtempSync(join(tmpdir(), 'switchboard-bot-'))
/** The packages of the guide, from their source. */
const modules = join(folder, 'node_modules')
mkdirSync(modules)
symlinkSync(
  join(import.meta.dir, '../../src/clients/typescript'),
  join(modules, 'switchboard-client'),
)
await writePython(folder, await readDocument())
const python = findPython()

/** The bot of the guide, while it runs. */
class Bot {
  private running: Bun.Subprocess | null = null
  /** A folder of its own. */
  private readonly cwd = mkdtempSync(join(folder, 'bot-'))
  readonly cursor = join(this.cwd, 'cursor.json')

  constructor(
    private readonly command: string[],
    private readonly env: Record<string, string>,
  ) {}

  start(): void {
    const env = { PATH: process.env['PATH'] ?? '', ...this.env, PYTHONPATH: folder }
    const { cwd } = this
    this.running = Bun.spawn(this.command, { cwd, env, stdout: 'inherit', stderr: 'inherit' })
  }

  /** Kills it where it stands. */
  async kill(): Promise<void> {
    this.running?.kill('SIGKILL')
    await this.running?.exited
  }
}

/**
 * The languages of the guide, each with the file of its program and what runs it. Python is there
 * where it is installed.
 */
const LANGUAGES: [name: 'ts' | 'python', file: string, runner: string][] = [
  ['ts', 'bot.ts', process.execPath],
  ...(python === null ? [] : [['python', 'bot.py', python] satisfies ['python', string, string]]),
]

afterAll(() => rmSync(folder, { recursive: true }))

for (const [language, file, runner] of LANGUAGES)
  describe(`the example bot of the guide in ${language}`, () => {
    let inbox: Inbox
    let bot: Bot
    let line: Line

    beforeAll(async () => {
      writeFileSync(join(folder, file), botIn(language))
      inbox = await Inbox.create()
      const { key } = await keyOf(inbox.world, { permissions: BOT_PERMISSIONS })
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
      line.losesNext = /^POST \S+\/messages /
      await hears('sixth')
      await until(() => answers().length === 6 && line.losesNext === null)
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
