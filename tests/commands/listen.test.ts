import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { permissionsFor } from '../../src/modules/delivery/realtime/webhook-events'
import { keyOf } from '../support/keys'
import { ServerProcess } from '../support/process'
import { Receiver } from '../support/receiver'
import { World } from '../support/world'

const SECRET = `whsec_${Buffer.from('a secret of at least 24 bytes').toString('base64')}`

const GUIDE = readFileSync(join(import.meta.dir, '../../src/docs/integrate.md'), 'utf8')

let folder: string
let world: World

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'listen-'))
  world = await World.create()
})

afterAll(async () => {
  await world.stop()
  rmSync(folder, { recursive: true, force: true })
})

const listening = (env: Record<string, string>, ...args: string[]): ServerProcess =>
  ServerProcess.spawn({ cwd: folder, env, args: ['listen', '--url', world.url, ...args] })

const said = (child: ServerProcess, words: string): Promise<boolean> =>
  child.until(words, () => child.lines.some((line) => line.includes(words)) || undefined)

describe('switchboard listen', () => {
  test('forwards the events of the organization, signed, to a local program', async () => {
    await using receiver = new Receiver()
    // no more rights than these events need
    const { key } = await keyOf(world, {
      permissions: ['webhooks:update', 'contacts:read_all', 'contacts:read', 'messages:read'],
    })
    const events = 'message.*,message.received,contact.created'
    const child = listening(
      { SWITCHBOARD_API_KEY: key },
      ...['--forward', receiver.url, '--secret', SECRET, '--events', events],
    )
    await said(child, 'Listening for events.')
    await world.contactOf(world.other)
    await world.contactOf()
    await said(child, 'message.received → 200')
    await said(child, 'contact.created → 200')
    expect(receiver.types.toSorted()).toEqual(['contact.created', 'message.received'])
    expect(receiver.received.every((request) => Receiver.isSigned(request, SECRET))).toBe(true)
    expect(receiver.received[0]?.body).toMatchObject({ organization_id: world.tenant.id })
    await child.kill()
  })

  test('ends with all missing permissions if the caller may not see the events', async () => {
    const agent = await world.as('agent')
    const child = listening({ SWITCHBOARD_TOKEN: agent.token }, '--forward', 'http://127.0.0.1:9')
    expect(await child.ended()).toBe(1)
    expect(child.errors).toBe(
      'This requires the permissions `webhooks:update`, `contacts:read_all`, `transfers:assign`, ' +
        '`chatbot:read`, `campaigns:read` and `flows:read`. Ask an admin to grant them to your role or API key.\n',
    )
    const { key } = await keyOf(world, { permissions: ['webhooks:update', 'contacts:read'] })
    const args = ['--forward', 'http://127.0.0.1:9', '--events', 'contact.*,campaign.paused']
    const lacking = listening({ SWITCHBOARD_API_KEY: key }, ...args)
    expect(await lacking.ended()).toBe(1)
    expect(lacking.errors).toContain('requires the permission `contacts:read_all`.')
    const stranger = listening({ SWITCHBOARD_TOKEN: 'x' }, '--forward', 'http://127.0.0.1:9')
    expect([await stranger.ended(), stranger.errors.split('\n').length]).toEqual([1, 2])
  })

  test('goes on after an answer that another attempt may mend, and ends with one that stays', async () => {
    const answers: Record<string, Response[]> = {
      limited: [Response.json({ message: 'Too many requests.' }, { status: 429 })],
      starting: [Response.json({ message: 'The server is starting.' }, { status: 503 })],
      late: [Response.json({ message: 'The request took too long.' }, { status: 408 })],
      broken: [new Response('<h1>Bad gateway</h1>', { status: 502 })],
      odd: [new Response('<h1>Hello</h1>')],
    }
    using server = Bun.serve({
      port: 0,
      fetch: (request) =>
        answers[request.headers.get('x-api-key') ?? '']?.shift() ??
        Response.json({ message: 'You may not do this.' }, { status: 403 }),
    })
    const ended = Object.keys(answers).map(async (key) => {
      const env = { SWITCHBOARD_API_KEY: key }
      const args = ['listen', '--url', server.url.href, '--forward', 'http://127.0.0.1:9']
      const child = ServerProcess.spawn({ cwd: folder, env, args })
      const code = await child.ended()
      return [key, code, child.errors, child.lines.find((line) => line.includes('again'))]
    })
    const refused = [1, 'You may not do this.\n'] as const
    const none = `No answer from ${server.url.origin}. Connecting again in 1 s.`
    expect(await Promise.all(ended)).toEqual([
      ['limited', ...refused, 'Too many requests. Connecting again in 1 s.'],
      ['starting', ...refused, none],
      ['late', ...refused, 'The request took too long. Connecting again in 1 s.'],
      ['broken', ...refused, none],
      ['odd', ...refused, none],
    ])
  })

  test('needs a credential and a URL', async () => {
    const without = listening({}, '--forward', 'http://127.0.0.1:9')
    expect(await without.ended()).toBe(2)
    expect(without.errors).toContain('SWITCHBOARD_TOKEN or SWITCHBOARD_API_KEY')
    const wrong = listening({ SWITCHBOARD_TOKEN: 'x' }, '--forward', 'localhost:3000')
    expect(await wrong.ended()).toBe(2)
    expect(wrong.errors).toContain('--forward must be a URL')
    const unknown = ['--forward', 'http://localhost:3000', '--events', 'message.*,mesage.sent']
    const misspelled = listening({ SWITCHBOARD_TOKEN: 'x' }, ...unknown)
    expect(await misspelled.ended()).toBe(2)
    expect(misspelled.errors).toContain('"mesage.sent" is no event.')
  })
})

test('the key of the guide has the permissions of all events', () => {
  const needed = new Set<string>(['webhooks:update', 'contacts:read_all', ...permissionsFor(['*'])])
  const [, shown = '[]'] = /"Events","permissions":(\[[^\]]*\])/.exec(GUIDE) ?? []
  expect(new Set(JSON.parse(shown) as string[])).toEqual(needed)
})
