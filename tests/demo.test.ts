import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { COMMANDS_BEGIN, COMMANDS_END } from './simulator/demo-text'
import { Client, type Loose } from './support/client'
import { bash } from './support/shell'

const ROOT = join(import.meta.dir, '..')
const DEADLINE_MS = 25_000

/**
 * Reads what a process prints until it has printed `enough`; rejects when it ends or takes too
 * long.
 */
async function readUntil(
  stream: ReadableStream<Uint8Array>,
  enough: (text: string) => boolean,
): Promise<string> {
  const reader = stream
    .pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
    .getReader()
  let text = ''
  const alarm = setTimeout(() => void reader.cancel().catch(() => undefined), DEADLINE_MS)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) throw new Error(`it ended or took too long after it had printed: ${text}`)
      text += value
      if (enough(text)) return text
    }
  } finally {
    clearTimeout(alarm)
  }
}

const dataFolders = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('switchboard-demo-'))

describe('the demo', () => {
  const before = new Set(dataFolders())
  const demo = Bun.spawn([process.execPath, 'tests/simulator/demo.ts'], {
    cwd: ROOT,
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'warn' },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let printed = ''
  let commands: string[] = []

  beforeAll(async () => {
    printed = await readUntil(demo.stdout, (text) => text.includes(COMMANDS_END))
    const block = printed.slice(
      printed.indexOf(COMMANDS_BEGIN) + COMMANDS_BEGIN.length,
      printed.indexOf(COMMANDS_END),
    )
    commands = block.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  }, DEADLINE_MS)

  afterAll(async () => {
    demo.kill('SIGKILL')
    await demo.exited
  })

  test('every printed command works when it is pasted', async () => {
    const [signIn = '', ...rest] = commands.slice(0, -1)
    const run = bash([signIn, ...rest].map((command) => `${command}\nprintf '@@'`).join('\n'))
    const [output, errors] = await Promise.all([
      new Response(run.stdout).text(),
      new Response(run.stderr).text(),
    ])
    expect({ errors, exitCode: await run.exited }).toEqual({ errors: '', exitCode: 0 })

    const texts = output.split('@@').slice(0, -1)
    const [
      token,
      me,
      accounts,
      contacts,
      messages,
      messageId,
      message,
      conversations,
      inbound,
      endpoints,
      received,
      jobs,
      preview,
      transfers,
      agentToken,
      agentContacts,
      agentTeams,
    ] = texts.map((text) => text.trim())
    const dataOf = (text: string | undefined): Loose => {
      const answer = JSON.parse(text ?? '') as Loose
      expect(answer).toMatchObject({ status: 'success' })
      return answer['data'] as Loose
    }
    const namesIn = (list: Loose): string[] =>
      (list['items'] as Loose[]).map((item) => String(item['display_name'])).toSorted()
    expect(token).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(agentToken).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(messageId).toMatch(/^[0-9a-f-]{36}$/)
    expect(dataOf(me)).toMatchObject({
      email: 'admin@bakery.example',
      organization: { name: 'Sunrise Bakery' },
      role: { name: 'admin' },
    })
    expect(dataOf(accounts)).toMatchObject({
      total: 1,
      items: [{ name: 'Sunrise Bakery main', status: 'active' }],
    })
    expect(dataOf(contacts)).toMatchObject({ total: 4 })
    expect((dataOf(preview)['replies'] as Loose[]).map(({ message }) => message)).toMatchObject([
      { text: 'Hello there, we are open from 9 to 18, Monday to Saturday.' },
      { text: 'What is your order number?' },
      { text: 'Thank you. We look it up.' },
    ])
    expect(dataOf(transfers)).toMatchObject({ transfers: expect.any(Array) })
    expect(namesIn(dataOf(agentContacts))).toEqual(['Mei Chen', 'Zoë Müller'])
    expect(dataOf(agentTeams)).toMatchObject({ teams: [{ name: 'Counter', member_count: 2 }] })
    const said = dataOf(messages)['items'] as Loose[]
    expect(said[0]).toMatchObject({
      direction: 'incoming',
      content: { text: expect.stringContaining('Hello Sunrise Bakery') },
    })
    expect(dataOf(message)).toMatchObject({
      id: messageId,
      direction: 'outgoing',
      status: expect.stringMatching(/^(pending|sent|delivered|read)$/),
    })
    expect(dataOf(conversations)).toMatchObject({ total: 4 })
    expect((dataOf(inbound)['items'] as Loose[]).length).toBeGreaterThan(0)
    expect(dataOf(endpoints)).toMatchObject({ total: 1, items: [{ name: 'Demo receiver' }] })
    const events = JSON.parse(received ?? '[]') as { is_signed: boolean; event: Loose }[]
    expect(events.every((one) => one.is_signed)).toBe(true)
    expect(events.map(({ event }) => event['type'])).toContain('message.received')
    expect(dataOf(jobs)).toHaveProperty('counts')
  }, 20_000)

  test('a page shows what the endpoint of the demo received', async () => {
    const [, url = ''] = /Receiver +(http:\S+) /.exec(printed) ?? []
    const text = await (await fetch(url)).text()
    expect(text).toContain('message.received')
    expect(text).toContain('signed')
    const forged = { method: 'POST', body: '{"type":"<b>forged"}' }
    expect((await fetch(url, forged)).status).toBe(401)
    expect(await (await fetch(url)).text()).toContain('&lt;b&gt;forged')
  })

  test('the WebSocket command prints the messages that flow', async () => {
    const watch = bash(
      `${commands[0]}\n${(commands.at(-1) ?? '').replace(/^.*? -e /, `exec '${process.execPath}' -e `)}`,
    )
    try {
      const heard = await readUntil(watch.stdout, (text) =>
        /^\{"type":"message:new".*\}$/m.test(text),
      )
      const frame = JSON.parse(/^\{"type":"message:new".*\}$/m.exec(heard)?.[0] ?? '') as Loose
      expect(frame).toMatchObject({
        type: 'message:new',
        payload: { direction: 'incoming' },
        seq: expect.any(Number),
      })
    } finally {
      watch.kill('SIGKILL')
      await watch.exited
    }
  }, 20_000)

  test('everybody it names can sign in', async () => {
    const [, url = ''] = /API +(http:\/\/localhost:\d+)\/api\n/.exec(printed) ?? []
    const emails = [...printed.matchAll(/^ {2}(\S+@\S+\.example) /gm)].map(([, email]) => email)
    expect(emails).toHaveLength(9)
    const body = (email: string | undefined): RequestInit => ({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: 'demo-password' }),
    })
    const statuses = await Promise.all(
      emails.map(async (email) => (await fetch(`${url}/api/auth/login`, body(email))).status),
    )
    expect(statuses).toEqual(emails.map(() => 200))
  })

  test('a template that is submitted is approved after ten seconds', async () => {
    const [, url = ''] = /API +(http:\/\/localhost:\d+)\/api\n/.exec(printed) ?? []
    const anyone = new Client(url)
    const login = { email: 'admin@bakery.example', password: 'demo-password' }
    const { data: session } = await anyone.post('/api/auth/login', login)
    const admin = anyone.with({ authorization: `Bearer ${session['access_token']}` })
    const { data: accounts } = await admin.get('/api/accounts')
    const { data: draft } = await admin.post('/api/templates', {
      account_id: (accounts['items'] as Loose[])[0]?.['id'],
      ...{ name: 'fresh_bread', language: 'en', category: 'UTILITY' },
      components: [{ type: 'BODY', text: 'Your bread is ready.' }],
    })
    const { data: pending } = await admin.post(`/api/templates/${draft['id']}/publish`)
    expect(pending['status']).toBe('PENDING')
    const submittedMs = Date.now()
    const statusNow = async (): Promise<unknown> =>
      (await admin.get(`/api/templates/${draft['id']}`)).data['status']
    while ((await statusNow()) === 'PENDING' && Date.now() - submittedMs < DEADLINE_MS)
      await Bun.sleep(250)
    expect(await statusNow()).toBe('APPROVED')
    expect(Date.now() - submittedMs).toBeGreaterThan(9_000)
  }, 30_000)

  test('it ends cleanly when it is told to, even twice at once, and leaves nothing behind', async () => {
    const own = dataFolders().filter((name) => !before.has(name))
    expect(own.length).toBeGreaterThan(0)
    demo.kill('SIGINT')
    demo.kill('SIGTERM')
    expect(await demo.exited).toBe(0)
    expect(own.filter((name) => existsSync(join(tmpdir(), name)))).toEqual([])
  }, 20_000)
})
