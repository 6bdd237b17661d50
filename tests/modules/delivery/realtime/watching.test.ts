import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { personWith } from '../../../support/people'
import { NOBODY } from '../../../support/routes'
import { TestSocket, type Frame } from '../../../support/socket'
import { World } from '../../../support/world'

let world: World

beforeEach(async () => {
  world = await World.create()
})
afterEach(() => world.stop())

const contactIn = async (tenant = world.tenant): Promise<string> =>
  (await world.contactOf(tenant))['id'] as string
const subscribe = (socket: TestSocket, ...topics: unknown[]): Promise<Frame> =>
  socket.ask({ type: 'subscribe', payload: { topics } })
const unsubscribe = (socket: TestSocket, ...topics: unknown[]): Promise<Frame> =>
  socket.ask({ type: 'unsubscribe', payload: { topics } })
const topicsOf = async (socket: TestSocket): Promise<unknown> =>
  (await socket.ask({ type: 'hello' })).payload['topics']
const open = async (permissions: string[]) => {
  const person = await personWith(world, permissions)
  const socket = await TestSocket.open(
    `${world.url.replace('http', 'ws')}/ws?token=${person.client.token}`,
  )
  return { ...person, socket }
}

describe('subscribe', () => {
  test('adds topics, each once, and returns all subscribed topics', async () => {
    const [one, two] = [await contactIn(), await contactIn()]
    const socket = await world.socket('manager')
    expect(await subscribe(socket, `contact:${one}`)).toMatchObject({
      type: 'subscribed',
      seq: null,
      payload: { topics: [`contact:${one}`] },
    })
    const both = [`contact:${one}`, `contact:${two}`]
    expect(
      (await subscribe(socket, `contact:${two}`, `contact:${one.toUpperCase()}`, `contact:${two}`))
        .payload,
    ).toEqual({ topics: both })
    expect(await topicsOf(socket)).toEqual(both)
    expect(await topicsOf(await world.socket('manager'))).toEqual([])
  })

  test('is not needed for the normal events and repeats none of them', async () => {
    const customer = world.simulator.customer({ phone: world.tenant.phoneId })
    await customer.says('one')
    await world.settle()
    const { data } = await (await world.as('manager')).get('/api/contacts')
    const socket = await world.socket('manager')
    await subscribe(socket, `contact:${(data['items'] as { id: string }[])[0]?.id}`)
    await customer.says('two')
    await world.settle()
    await socket.caughtUp()
    expect(socket.events('message:new')).toHaveLength(1)
  })

  test.each<[string, unknown]>([
    ['no list', 'contact:x'],
    ['nothing', undefined],
    ['an empty list', []],
    ['51 of them', Array.from({ length: 51 }, () => `contact:${NOBODY}`)],
    ['a number', [7]],
    ['another kind', [`account:${NOBODY}`]],
    ['no id', ['contact:']],
    ['an id in another form', ['contact:1234']],
    ['something behind the id', [`contact:${NOBODY}:x`]],
    ['a name of objects', [`constructor:${NOBODY}`]],
  ])('%s is a bad topic, of unsubscribe too', async (_, topics) => {
    const socket = await world.socket('manager')
    for (const type of ['subscribe', 'unsubscribe'])
      expect(await socket.ask({ type, payload: { topics } })).toMatchObject({
        type: 'error',
        payload: { code: 'bad_topic', type },
      })
    expect(socket.closed).toBeNull()
  })

  test('to an unknown, foreign or invisible topic is not found and adds nothing', async () => {
    const [own, hidden, foreign] = [
      await contactIn(),
      await contactIn(),
      await contactIn(world.other),
    ]
    await (
      await world.as('admin')
    ).put(`/api/contacts/${own}/assign`, { user_id: world.tenant.userIds.agent })
    const socket = await world.socket('agent')
    const answers = []
    for (const id of [NOBODY, hidden, foreign])
      answers.push((await subscribe(socket, `contact:${own}`, `contact:${id}`)).payload)
    for (const payload of answers)
      expect(payload).toEqual({ code: 'not_found', message: expect.any(String), type: 'subscribe' })
    expect(new Set(answers.map((payload) => JSON.stringify(payload))).size).toBe(1)
    expect(await topicsOf(socket)).toEqual([])
    expect((await subscribe(socket, `contact:${own}`)).type).toBe('subscribed')
  })

  test('refuses a topic whose id only looks like one', async () => {
    const socket = await world.socket('manager')
    for (const id of ['-'.repeat(36), '0123456789abcdef0123456789abcdef0123'])
      expect((await subscribe(socket, `contact:${id}`)).payload).toMatchObject({
        code: 'bad_topic',
      })
    expect(await topicsOf(socket)).toEqual([])
  })

  test('requires messages:read for a contact and campaigns:read for a campaign', async () => {
    const id = await contactIn()
    const { socket } = await open(['contacts:read', 'contacts:read_all'])
    for (const topic of [`contact:${id}`, `campaign:${id}`])
      expect((await subscribe(socket, topic)).payload).toMatchObject({ code: 'forbidden' })
    expect(
      (await subscribe(await world.socket('manager'), `campaign:${id}`)).payload,
    ).toMatchObject({ code: 'not_found' })
    await socket.close()
  })

  test('accepts up to fifty topics', async () => {
    const ids: string[] = []
    const manager = await world.as('manager')
    for (let nth = 0; nth < 51; nth += 1)
      ids.push(
        String(
          (
            await manager.post('/api/contacts', {
              phone_number: `+1555040${String(nth).padStart(4, '0')}`,
            })
          ).data['id'],
        ),
      )
    const topics = ids.map((id) => `contact:${id}`)
    const socket = await world.socket('manager')
    expect((await subscribe(socket, ...topics.slice(0, 50))).payload).toEqual({
      topics: topics.slice(0, 50),
    })
    expect((await subscribe(socket, topics[50])).payload).toMatchObject({ code: 'too_many_topics' })
    expect((await subscribe(socket, topics[0])).type).toBe('subscribed')
    expect((await unsubscribe(socket, topics[0])).payload).toEqual({ topics: topics.slice(1, 50) })
    expect((await subscribe(socket, topics[50])).payload).toEqual({ topics: topics.slice(1) })
  })
})

describe('unsubscribe', () => {
  test('returns the remaining topics; an unknown topic is no error', async () => {
    const id = await contactIn()
    const socket = await world.socket('manager')
    await subscribe(socket, `contact:${id}`)
    expect(await unsubscribe(socket, `contact:${NOBODY}`)).toMatchObject({
      type: 'unsubscribed',
      payload: { topics: [`contact:${id}`] },
    })
    expect((await unsubscribe(socket, `contact:${id}`)).payload).toEqual({ topics: [] })
    expect(await topicsOf(socket)).toEqual([])
  })
})

describe('a subscription ends with its permission', () => {
  const ended = async (socket: TestSocket): Promise<unknown> => {
    await socket.caughtUp()
    return socket.frames.find(
      ({ type, reply_to }) => type === 'unsubscribed' && reply_to === undefined,
    )?.payload
  }

  test('when the contact is reassigned', async () => {
    const [kept, lost] = [await contactIn(), await contactIn()]
    const admin = await world.as('admin')
    for (const id of [kept, lost])
      await admin.put(`/api/contacts/${id}/assign`, { user_id: world.tenant.userIds.agent })
    const [agent, manager] = [await world.socket('agent'), await world.socket('manager')]
    for (const socket of [agent, manager])
      await subscribe(socket, `contact:${kept}`, `contact:${lost}`)
    await admin.put(`/api/contacts/${lost}/assign`, { user_id: null })
    expect(await ended(agent)).toEqual({ topics: [`contact:${kept}`] })
    expect(await topicsOf(agent)).toEqual([`contact:${kept}`])
    expect(await ended(manager)).toBeUndefined()
  })

  test('when the contact is deleted', async () => {
    const id = await contactIn()
    const manager = await world.socket('manager')
    await subscribe(manager, `contact:${id}`)
    await (await world.as('admin')).delete(`/api/contacts/${id}`)
    expect(await ended(manager)).toEqual({ topics: [] })
  })

  test('when messages:read is removed from the role, at the next recheck', async () => {
    const id = await contactIn()
    const person = await open(['contacts:read', 'contacts:read_all', 'messages:read'])
    await subscribe(person.socket, `contact:${id}`)
    person.may('contacts:read', 'contacts:read_all')
    world.program.realtime.sockets.sweep()
    expect(await ended(person.socket)).toEqual({ topics: [] })
    await person.socket.close()
  })
})
