import { describe, expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'
import type { Loose } from '../../../support/client'
import { secondNumber } from '../../../support/second-number'

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']

/** Open on weekdays from 9 to 17 UTC. The test world begins on a Saturday. */
const HOURS = {
  business_hours_enabled: true,
  business_hours: WEEKDAYS.map((day) => ({ day, start_time: '09:00', end_time: '17:00' })),
}

describe('the greeting', () => {
  test('comes at most every 12 hours, or as often as the settings say', async () => {
    await using bot = await BotWorld.create({ greeting_message: 'Hi', fallback_message: 'Sorry?' })
    expect(await bot.say('Hello')).toEqual(['Hi'])
    await bot.wait({ hours: 11 })
    expect(bot.sessions()).toMatchObject([{ status: 'timed_out' }])
    expect(await bot.say('Hello')).toEqual(['Sorry?'])
    await bot.wait({ hours: 1, minutes: 1 })
    expect(await bot.say('Hello')).toEqual(['Hi'])
    await bot.configure({ greeting_every_hours: 0 })
    await bot.wait({ minutes: 31 })
    expect(await bot.say('Hello')).toEqual(['Hi'])
    await bot.configure({ greeting_every_hours: 2 })
    await bot.wait({ hours: 1, minutes: 59 })
    expect(await bot.say('Hello')).toEqual(['Sorry?'])
  })

  test('does not follow a flow that has just ended, also of another customer', async () => {
    await using bot = await BotWorld.create({ fallback_message: 'Sorry?' })
    const id = await bot.flow([['done', 'end', { message: 'Done.' }]])
    const contactId = await bot.silently(() => bot.customer.says('Hello'))
    await bot.configure({ greeting_message: 'Hi' })
    const start = { contact_id: contactId, account_id: bot.world.tenant.accountId }
    expect(await bot.during(() => bot.admin.post(`/api/chatbot/flows/${id}/start`, start))).toEqual(
      ['Done.'],
    )
    expect(await bot.say('Thanks')).toEqual(['Sorry?'])
    const other = bot.world.simulator.customer({ phone: bot.world.tenant.phoneId })
    await other.says('Hello')
    await bot.world.settle()
    expect(other.received()).toHaveLength(1)
    expect(other.received()[0]?.body).toMatchObject({ text: { body: 'Hi' } })
  })

  test('of a preview comes once, and not again with its session', async () => {
    await using bot = await BotWorld.create({ greeting_message: 'Hi', fallback_message: 'Sorry?' })
    await bot.flow([['done', 'end', { message: 'Done.' }]])
    const texts = async (request: Loose): Promise<{ said: unknown[]; session: unknown }> => {
      const { data } = await bot.admin.post('/api/chatbot/preview', request)
      const replies = data['replies'] as { message: Loose }[]
      return { said: replies.map(({ message }) => message['text']), session: data['session'] }
    }
    const { said, session } = await texts({ messages: ['begin', 'Hello'] })
    expect(said).toEqual(['Hi\n\nDone.', 'Sorry?'])
    expect(await texts({ message: 'begin', session })).toMatchObject({ said: ['Done.'] })
  })
})

describe('a greeting with buttons', () => {
  const menu = {
    greeting_message: 'Welcome!',
    greeting_buttons: [{ title: 'Hours' }, { title: 'Orders' }],
    greeting_every_hours: 0,
  }

  test('is one message with the answer, above its buttons', async () => {
    await using bot = await BotWorld.create(menu)
    await bot.rule({ keywords: ['open'], response: 'We open at nine.' })
    expect(await bot.say('Do you open today?')).toEqual([
      'Welcome!\n\nWe open at nine. [Hours] [Orders]',
    ])
  })

  test('gives way to the buttons of the answer and to the question of a flow', async () => {
    await using bot = await BotWorld.create(menu)
    await bot.rule({
      keywords: ['choose'],
      response: 'Which one?',
      response_type: 'buttons',
      response_content: { buttons: [{ title: 'Tea' }, { title: 'Cups' }] },
    })
    await bot.flow([['ask', 'prompt', { body: 'Your order number?' }]])
    expect(await bot.say('Let me choose')).toEqual(['Welcome!\n\nWhich one? [Tea] [Cups]'])
    await bot.wait({ minutes: 31 })
    expect(await bot.say('begin')).toEqual(['Welcome!\n\nYour order number?'])
  })

  test('is a message of its own if the answer is too long, or if the settings say so', async () => {
    await using bot = await BotWorld.create(menu)
    // A body has up to 1,024 characters.
    const long = 'x'.repeat(1_024 - 'Welcome!\n\n'.length)
    await bot.rule({ keywords: ['long'], response: long })
    await bot.rule({ keywords: ['longest'], response: `${long}x` })
    expect(await bot.say('long')).toEqual([`Welcome!\n\n${long} [Hours] [Orders]`])
    await bot.wait({ minutes: 31 })
    expect(await bot.say('longest')).toEqual(['Welcome! [Hours] [Orders]', `${long}x`])
    await bot.configure({ coalesce: false })
    await bot.wait({ minutes: 31 })
    expect(await bot.say('long')).toEqual(['Welcome! [Hours] [Orders]', long])
  })
})

describe('outside business hours', () => {
  test('the customer is told once per closed hours, before the answer', async () => {
    await using bot = await BotWorld.create({ ...HOURS, fallback_message: 'Sorry?' })
    await bot.rule({ keywords: ['price'], response: 'Three euros.' })
    expect(await bot.say('price?')).toEqual([
      'We are closed at the moment. We open again: Monday 9:00 AM.\n\nThree euros.',
    ])
    expect(await bot.say('price?')).toEqual(['Three euros.'])
    await bot.goTo('2026-11-23T16:59:00Z')
    expect(await bot.say('price?')).toEqual(['Three euros.'])
    await bot.goTo('2026-11-23T17:00:00Z')
    await bot.configure({ out_of_hours_message: 'Closed until {{ opens_at }}.' })
    expect(await bot.say('what?')).toEqual(['Closed until Tuesday 9:00 AM.\n\nSorry?'])
    await bot.configure({ out_of_hours_notice: false })
    await bot.goTo('2026-11-24T18:00:00Z')
    expect(await bot.say('price?')).toEqual(['Three euros.'])
  })

  test('a customer whom nothing answers is told as well', async () => {
    await using bot = await BotWorld.create(HOURS)
    expect(await bot.say('Hello')).toEqual([
      'We are closed at the moment. We open again: Monday 9:00 AM.',
    ])
    expect(await bot.conversation()).toMatchObject({ state: 'open' })
  })

  test('a number has hours, dates and a text of its own, which no other one has', async () => {
    const text = 'All of us are closed.'
    await using bot = await BotWorld.create({ ...HOURS, out_of_hours_message: text })
    const { world, admin } = bot
    const [own, other] = [world.tenant, await secondNumber(world)]
    const path = '/api/chatbot/settings'
    const ofNumber = `${path}?account_id=${String(own.accountId)}`
    const changes = {
      // today is a Saturday
      business_hours: ['saturday', 'sunday'].map((day) => ({
        ...{ day, start_time: '00:00', end_time: '24:00', enabled: true },
      })),
      holidays: [{ date: '2026-11-21', name: 'Fair', intervals: [] }],
      out_of_hours_message: 'At the fair until {{ opens_at }}.',
    }
    const overridden = Object.keys(changes).toSorted()
    const saved = await admin.put(ofNumber, changes)
    expect(saved.data).toMatchObject({ ...changes, account_id: own.accountId, overridden })
    expect((await admin.get(ofNumber)).data).toMatchObject({ ...changes, overridden })
    expect((await admin.get(path)).data).toMatchObject({
      ...{ holidays: [], out_of_hours_message: text, business_hours: HOURS.business_hours },
      numbers_with_own_settings: [own.accountId],
    })
    /** What a new customer of a number gets. */
    const answers = async (phone: string): Promise<unknown[]> => {
      const person = world.simulator.customer({ phone })
      await person.says('Hello')
      await world.settle()
      return person.received().map(({ body }) => (body as { text: unknown }).text)
    }
    const says = (body: string) => [expect.objectContaining({ body })]
    expect(await answers(own.phoneId)).toEqual(says('At the fair until Sunday 12:00 AM.'))
    expect(await answers(other.phoneNumberId)).toEqual(says(text))
    await bot.goTo('2026-11-22T12:00:00Z') // open on the one number only
    expect([await answers(own.phoneId), await answers(other.phoneNumberId)]).toEqual([
      [],
      says(text),
    ])
    await bot.admin.delete(ofNumber)
    expect(await answers(own.phoneId)).toEqual(says(text))
  })

  test('a flow that asks for the hours says so itself', async () => {
    await using bot = await BotWorld.create({ ...HOURS, fallback_message: 'Sorry?' })
    await bot.flow(
      [
        ['hours', 'timing', { use_business_hours: true }],
        ['open', 'end', { message: 'Hello!' }],
        ['closed', 'end', { message: 'We sleep.' }],
      ],
      {
        edges: [
          ['hours', 'in_hours', 'open'],
          ['hours', 'out_of_hours', 'closed'],
        ],
      },
    )
    expect(await bot.say('begin')).toEqual(['We sleep.'])
    expect(await bot.say('what?')).toEqual(['Sorry?'])
  })

  test('a hand-over in our words holds the notice, one in others follows it', async () => {
    await using bot = await BotWorld.create({ ...HOURS, transfer_keywords: ['human'] })
    await bot.rule({ keywords: ['complaint'], response_type: 'transfer', response: 'Oh dear.' })
    expect(await bot.say('complaint')).toEqual([
      'We are closed at the moment. We open again: Monday 9:00 AM.\n\nOh dear.',
    ])
    await bot.endTransfer()
    await bot.goTo('2026-11-24T18:00:00Z')
    expect(await bot.say('human')).toEqual([
      'I am handing you over to our team. They will answer you here. ' +
        'We are closed at the moment. We open again: Wednesday 9:00 AM.',
    ])
  })
})
