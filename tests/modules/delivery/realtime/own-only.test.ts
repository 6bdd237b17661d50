import { describe, expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { Inbox, SEES_OWN } from '../../../support/inbox'
import { personOf } from '../../../support/lines'
import { TestSocket } from '../../../support/socket'

const heard = async (socket: TestSocket): Promise<[string, unknown][]> => {
  await socket.caughtUp()
  return socket
    .events()
    .map(({ type, payload }) => [
      type,
      payload['visible'] ??
        (payload['content'] as Loose | string | undefined) ??
        payload['emoji'] ??
        null,
    ])
}

/** Everything that can happen with a customer's contact. */
async function everything(inbox: Inbox, nth: number, word: string): Promise<void> {
  const { manager, world } = inbox
  const [path, contact] = [await inbox.path(nth), await inbox.contactPath(nth)]
  await inbox.says(nth, `${word} in`)
  await manager.post(`${path}/messages`, { type: 'text', text: `${word} out` })
  await world.settle()
  await manager.post(`${contact}/notes`, { content: `${word} note` })
  await manager.put(contact, { name: `${word} name` })
  await manager.post(`${path}/read`)
  await manager.put(path, { state: 'pending' })
  await inbox.passes({ seconds: 1 })
}

describe('an agent sees only assigned contacts', () => {
  test('when a contact is reassigned between two agents: live, after a resume and in the API', async () => {
    await using inbox = await Inbox.create(2)
    const { world, manager } = inbox
    const [one, two] = [await inbox.colleague(...SEES_OWN), await inbox.colleague(...SEES_OWN)]
    const contact = await inbox.contactPath(0)
    await everything(inbox, 0, 'before')
    expect([await heard(one.socket), await heard(two.socket)]).toEqual([[], []])

    await manager.put(`${contact}/assign`, { user_id: one.userId })
    await everything(inbox, 0, 'first')
    await everything(inbox, 1, 'other')
    await manager.put(`${contact}/assign`, { user_id: two.userId })
    await everything(inbox, 0, 'second')

    const [first, second] = [await heard(one.socket), await heard(two.socket)]
    expect(first[0]).toEqual(['contact:updated', true])
    expect(first.at(-1)).toEqual(['contact:updated', false])
    expect(second[0]).toEqual(['contact:updated', true])
    // What the contact is called and said last is shown with it from the moment it is theirs;
    // nothing that came after.
    for (const [socket, own, later] of [
      [one.socket, 'first', 'second'],
      [two.socket, 'second', 'other'],
    ] as const) {
      const said = JSON.stringify(
        socket
          .events()
          .map(({ type, payload }) => (/^(message|note):/.test(type) ? payload['content'] : null)),
      )
      expect(
        ['before', 'first', 'second', 'other'].filter((word) => said.includes(`${word} `)),
      ).toEqual([own])
      const everywhere = JSON.stringify(socket.frames)
      expect(
        [later, 'other', personOf(1).waId ?? ''].filter((word) => everywhere.includes(word)),
      ).toEqual([])
      const types = socket.events().map(({ type }) => type)
      for (const type of [
        'message:new',
        'message:status',
        'note:new',
        'conversation:updated',
        'contact:updated',
      ])
        expect(types).toContain(type)
    }

    const seen = async (person: typeof one): Promise<unknown> => {
      const { data } = await person.client.get('/api/conversations')
      return (data['items'] as Loose[]).map(
        ({ contact: shown }) => (shown as Loose)['display_name'],
      )
    }
    expect([await seen(one), await seen(two)]).toEqual([[], ['second name']])
    expect((await one.client.get(contact)).status).toBe(404)

    const resumed = await world.socket('agent') // a third agent has never seen anything
    await resumed.ask({ type: 'resume', payload: { since: 0 } })
    const strange = await heard(resumed)
    expect(strange.filter(([type]) => type !== 'account:updated')).toEqual([])
    const again = await TestSocket.open(
      `${world.url.replace('http', 'ws')}/ws?token=${one.client.token}&since=0`,
    )
    await again.caughtUp()
    expect(again.events().map(({ type, payload }) => [type, payload['visible']])).toEqual([
      ['contact:updated', false],
    ])
    await again.close()
    await Promise.all([one.socket.close(), two.socket.close()])
  })

  test('when only a conversation is claimed, reassigned and released', async () => {
    await using inbox = await Inbox.create(1)
    const [one, two] = [await inbox.colleague(...SEES_OWN), await inbox.colleague(...SEES_OWN)]
    const path = await inbox.path(0)
    await inbox.manager.put(`${path}/assign`, { user_id: one.userId })
    await inbox.passes({ seconds: 1 })
    await inbox.says(0, 'for one')
    await inbox.manager.put(`${path}/assign`, { user_id: two.userId })
    await inbox.passes({ seconds: 1 })
    await inbox.says(0, 'for two')
    await two.client.post(`${path}/release`)
    await inbox.passes({ seconds: 1 })
    await inbox.says(0, 'for nobody')
    const textsOf = (socket: TestSocket): unknown[] =>
      socket.events('message:new').map(({ payload }) => (payload['content'] as Loose)['text'])
    for (const { socket } of [one, two]) await socket.caughtUp()
    expect([textsOf(one.socket), textsOf(two.socket)]).toEqual([['for one'], ['for two']])
    for (const { socket } of [one, two]) {
      expect(socket.events('contact:updated').map(({ payload }) => payload['visible'])).toEqual([
        true,
        false,
      ])
      await socket.close()
    }
  })
})
