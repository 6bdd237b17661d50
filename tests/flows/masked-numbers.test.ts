import { expect, test } from 'bun:test'

import { systemNumberChanged } from '../../src/simulator/payloads'
import type { Loose } from '../support/client'
import { Inbox, SEES_ALL } from '../support/inbox'
import { deliver, lineOf, personOf, secondsIn, statusTo, textTo, valueOf } from '../support/lines'

const FORMER = personOf(0)
const NEW_NUMBER = '15550388888'
const MOVED = { ...FORMER, waId: NEW_NUMBER }

/**
 * An inbox whose organization hides numbers, with a colleague who sees every contact and no whole
 * number.
 */
async function hiding() {
  const inbox = await Inbox.create()
  inbox.world.program.http.db.sqlite.run('update organizations set mask_phone_numbers = 1')
  return { inbox, world: inbox.world, colleague: await inbox.colleague(...SEES_ALL) }
}

const moved = (world: Inbox['world']) =>
  systemNumberChanged(NEW_NUMBER, {
    line: lineOf(world.tenant),
    person: FORMER,
    id: 'wamid.moved',
    timestamp: secondsIn(world),
  })

test('masked numbers are hidden in quotes, previews, lists and WebSocket frames', async () => {
  const { inbox, world, colleague } = await hiding()
  await using _ = inbox
  await deliver(world, textTo(world, 'Hello', { person: FORMER, id: 'wamid.hello' }))
  await deliver(world, moved(world))
  const heardSoFar = (await colleague.client.get('/api/contacts')).body
  for (const quoted of ['wamid.moved', 'wamid.hello'])
    await deliver(
      world,
      textTo(world, 'Quoting', { person: MOVED, context: { from: NEW_NUMBER, id: quoted } }),
    )
  const [contact] = (await colleague.client.get('/api/contacts')).data['items'] as Loose[]
  const paths = [
    '/api/conversations',
    '/api/messages/search?q=Quoting',
    `/api/contacts/${contact?.['id']}`,
  ]
  const { data } = await colleague.client.get(`/api/contacts/${contact?.['id']}/messages`)
  const answers = [
    heardSoFar,
    data,
    ...(await Promise.all(paths.map(async (path) => (await colleague.client.get(path)).body))),
  ]
  await colleague.socket.caughtUp()
  const everything = JSON.stringify([answers, colleague.socket.frames])
  expect([NEW_NUMBER, FORMER.waId ?? ''].filter((number) => everything.includes(number))).toEqual(
    [],
  )
  // The hidden values are stored and shown to callers who may see them.
  const quotes = (data['items'] as Loose[]).slice(2)
  expect(quotes).toMatchObject([
    {
      reply_to: { type: 'system', preview: expect.stringMatching(/\*0000 to \*+8888/) },
      context: { from: expect.stringMatching(/\*8888$/) },
    },
    { reply_to: { preview: 'Hello' } },
  ])
  const clear = (await (await world.as('manager')).get(`/api/contacts/${contact?.['id']}/messages`))
    .data['items'] as Loose[]
  expect(clear[2]).toMatchObject({
    reply_to: { preview: expect.stringContaining(NEW_NUMBER) },
    context: { from: NEW_NUMBER },
  })
})

test('a control character before a number in a system message masks only the number', async () => {
  const { inbox, world, colleague } = await hiding()
  await using _ = inbox
  await deliver(world, textTo(world, 'Hello', { person: FORMER }))
  const webhook = moved(world)
  valueOf(webhook)['messages'][0].system.body = 'Somebody \u00011234567 changed'
  await deliver(world, webhook)
  await deliver(world, textTo(world, 'Afterwards', { person: MOVED }))
  const [contact] = (await colleague.client.get('/api/contacts')).data['items'] as Loose[]
  const { data } = await colleague.client.get(`/api/contacts/${contact?.['id']}/messages`)
  expect((data['items'] as Loose[]).map(({ content }) => (content as Loose)['text'])).toEqual([
    'Hello',
    'Somebody \u0001***4567 changed',
    'Afterwards',
  ])
  await colleague.socket.caughtUp()
  expect(colleague.socket.events('message:new').length).toBe(3)
})

test('a deleted system message is shown as deleted in its contact', async () => {
  const { inbox, world, colleague } = await hiding()
  await using _ = inbox
  await deliver(world, textTo(world, 'Hello', { person: FORMER }))
  await deliver(world, moved(world))
  const revoke = textTo(world, '', { person: MOVED })
  Object.assign(valueOf(revoke)['messages'][0], {
    type: 'revoke',
    revoke: { original_message_id: 'wamid.moved' },
  })
  await deliver(world, revoke)
  const [contact] = (await colleague.client.get('/api/contacts')).data['items'] as Loose[]
  expect(contact).toMatchObject({ last_message_preview: 'Message deleted' })
})

test('unsupported messages and errors show no phone numbers', async () => {
  const { inbox, world, colleague } = await hiding()
  await using _ = inbox
  await deliver(world, textTo(world, 'Hello', { person: FORMER }))
  const strange = textTo(world, '', { person: FORMER, id: 'wamid.strange' })
  const [item] = valueOf(strange)['messages'] as Loose[]
  Object.assign(item ?? {}, {
    type: 'hologram',
    text: undefined,
    hologram: { caller: `+${FORMER.waId}` },
  })
  await deliver(world, strange)
  const edited = textTo(world, '', { person: FORMER })
  const now = { type: 'text', text: { body: 'Now it can be read' } }
  Object.assign(valueOf(edited)['messages'][0], {
    type: 'edit',
    edit: { original_message_id: 'wamid.strange', message: now },
  })
  const [contact] = (await colleague.client.get('/api/contacts')).data['items'] as Loose[]
  const path = `/api/contacts/${contact?.['id']}/messages`
  const shown = async (by = colleague.client): Promise<Loose[]> =>
    (await by.get(path)).data['items'] as Loose[]
  expect(await shown(await world.as('manager'))).toMatchObject([
    {},
    { type: 'unsupported', content: { raw: { from: FORMER.waId } } },
  ])
  const masked = await shown()
  expect(masked).toMatchObject([
    {},
    { type: 'unsupported', content: { raw: { from: expect.stringMatching(/^\*+0000$/) } } },
  ])
  await deliver(world, edited)
  const history = (await colleague.client.get(`/api/messages/${masked[1]?.['id']}/events`)).data
  expect(history['items']).toMatchObject([
    { kind: 'original', content: { platform_type: 'hologram' } },
    { kind: 'edit' },
  ])
  const { data: sent } = await colleague.client.post(path, { type: 'text', text: 'An answer' })
  await world.settle()
  const [answer] = (await shown()).filter(({ id }) => id === sent['id'])
  const error = {
    code: 131_009,
    title: 'No',
    details: `The parameter to=${FORMER.waId} is not valid`,
  }
  await deliver(
    world,
    statusTo(world, String(answer?.['wa_message_id']), 'failed', {
      facts: { error, recipientId: FORMER.waId },
    }),
  )
  const failed = (await colleague.client.get(`/api/messages/${sent['id']}`)).data
  expect(failed).toMatchObject({
    error: { details: expect.stringMatching(/to=\*+0000 is not valid/) },
  })
  const told = (await colleague.client.get(`/api/messages/${sent['id']}/events`)).data
  expect(JSON.stringify(told)).toContain('is not valid')
  await colleague.socket.caughtUp()
  expect(
    JSON.stringify([masked, history, failed, told, await shown(), colleague.socket.frames]),
  ).not.toContain(String(FORMER.waId))
})

test('errors reported beside a message show no phone numbers', async () => {
  const { inbox, world, colleague } = await hiding()
  await using _ = inbox
  const webhook = textTo(world, 'Call 15550377777', { person: FORMER })
  Object.assign(valueOf(webhook)['messages'][0], {
    errors: [{ code: 131052, title: 'Odd', details: `From ${FORMER.waId}` }],
  })
  await deliver(world, webhook)
  const [contact] = (await colleague.client.get('/api/contacts')).data['items'] as Loose[]
  const { data } = await colleague.client.get(`/api/contacts/${contact?.['id']}/messages`)
  const errors = [{ code: 131052, details: expect.stringMatching(/^From \*+0000$/) }]
  expect(data['items']).toMatchObject([{ content: { text: 'Call 15550377777', errors } }])
})
