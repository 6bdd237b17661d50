import { describe, expect, test } from 'bun:test'

import { handover, TO_AGENT } from '../../../../src/simulator/standby'
import type { Loose } from '../../../support/client'
import { BotWorld } from '../../../support/bots'
import { deliver, lineOf, secondsIn, textTo } from '../../../support/lines'

const outcomes = (bot: BotWorld): unknown[] =>
  bot.trace().map(({ stage, outcome }) => [stage, outcome])

describe('a turn', () => {
  test('gets the greeting once per session, then the fallback', async () => {
    await using bot = await BotWorld.create({
      greeting_message: 'Welcome!',
      fallback_message: 'Sorry?',
    })
    expect(await bot.say('Hello')).toEqual(['Welcome!'])
    expect(await bot.conversation()).toMatchObject({ state: 'pending', bot_active: true })
    expect(await bot.say('Hello?')).toEqual(['Sorry?'])
    expect(await bot.conversation()).toMatchObject({ state: 'open', bot_active: true })
    expect(outcomes(bot)).toEqual([
      ['greeting', 'greeted'],
      ['fallback', 'greeting_answers'],
      ['fallback', 'fallback'],
    ])
  })

  test('joins the greeting and the answer of a rule in one message, or in two', async () => {
    await using bot = await BotWorld.create({ greeting_message: 'Welcome!' })
    await bot.rule({ keywords: ['open'], response: 'We open at nine.' })
    expect(await bot.say('When do you open?')).toEqual(['Welcome!\n\nWe open at nine.'])
    await bot.configure({ coalesce: false, greeting_every_hours: 0 })
    await bot.wait({ minutes: 31 })
    expect(bot.sessions()).toMatchObject([{ status: 'timed_out' }])
    expect(await bot.say('open?')).toEqual(['Welcome!', 'We open at nine.'])
  })

  test('joins messages that follow each other, and starts at most 15 s after the first', async () => {
    await using bot = await BotWorld.create({ debounce_seconds: 4 })
    await bot.rule({ keywords: ['one two'], response: 'Both.', match_type: 'contains' })
    expect(await bot.say('one')).toEqual([])
    expect(await bot.wait({ seconds: 3 })).toEqual([])
    expect(await bot.say('two')).toEqual([])
    expect(await bot.wait({ seconds: 3 })).toEqual([])
    expect(await bot.wait({ seconds: 1 })).toEqual(['Both.'])
    for (let second = 0; second < 15; second += 3) {
      expect(await bot.say(second === 0 ? 'one' : 'two')).toEqual([])
      expect(await bot.wait({ seconds: 3 })).toEqual(second === 12 ? ['Both.'] : [])
    }
  })

  test('starts at once after a tap and after a word that asks for a person', async () => {
    await using bot = await BotWorld.create({ debounce_seconds: 30 })
    await bot.rule({ keywords: ['Prices'], response: 'From 3 euros.' })
    expect(await bot.tap('prices', 'Prices')).toEqual(['From 3 euros.'])
    await bot.say('I want to talk to an agent, please')
    expect(bot.sessions()).toMatchObject([{ status: 'transferred', end_reason: 'keyword' }])
    expect(await bot.conversation()).toMatchObject({ state: 'open', bot_active: false })
    expect(await bot.say('Prices')).toEqual([])
  })

  test('is not answered when it is older than half an hour', async () => {
    await using bot = await BotWorld.create({ fallback_message: 'Sorry?' })
    const { world } = bot
    const at = (minutes: number): Promise<unknown> =>
      deliver(world, textTo(world, 'Hello', { timestamp: secondsIn(world) - minutes * 60 }))
    await at(31)
    expect(outcomes(bot)).toEqual([['received', 'too_old']])
    expect(await bot.conversation()).toMatchObject({ state: 'open', bot_active: false })
    await at(29)
    expect(outcomes(bot).at(-1)).toEqual(['fallback', 'fallback'])
  })

  test('is not answered after a person wrote, and the session ends', async () => {
    await using bot = await BotWorld.create({ greeting_message: 'Hi', fallback_message: 'Sorry?' })
    await bot.say('Hello')
    const { id } = (await bot.conversation())['contact'] as { id: string }
    await bot.admin.post(`/api/contacts/${id}/messages`, { type: 'text', text: 'I am here.' })
    await bot.world.settle()
    expect(bot.sessions()).toMatchObject([{ status: 'transferred', end_reason: 'person_wrote' }])
    expect(await bot.conversation()).toMatchObject({ state: 'open', bot_active: false })
    expect(await bot.say('Thanks')).toEqual([])
    expect(outcomes(bot).at(-1)).toEqual(['silence', 'person_wrote'])
    await bot.wait({ minutes: 60 })
    expect(await bot.say('Hello again')).toEqual(['Sorry?'])
  })

  test('counts fallbacks and transfers after the third', async () => {
    await using bot = await BotWorld.create({ fallback_message: 'Sorry?' })
    for (const text of ['a', 'b']) expect(await bot.say(text)).toEqual(['Sorry?'])
    expect(await bot.say('c')).toEqual([
      'I am handing you over to our team. They will answer you here.',
    ])
    expect(bot.sessions()).toMatchObject([{ status: 'transferred', end_reason: 'fallback' }])
    expect(await bot.say('d')).toEqual([])
  })

  test('gets no answer if somebody else owns the thread by then', async () => {
    await using bot = await BotWorld.create({ fallback_message: 'Sorry?', debounce_seconds: 10 })
    const { world } = bot
    const person = { waId: '15550300001', name: 'Ana' }
    const about = () => ({ line: lineOf(world.tenant), person, timestamp: secondsIn(world) })
    world.simulator.shareNumber({ phone: world.tenant.phoneId })
    await deliver(world, textTo(world, 'Hi', about()))
    world.clock.advance({ seconds: 5 })
    await deliver(world, handover({ control: TO_AGENT }, about()))
    world.clock.advance({ seconds: 6 })
    await world.settle()
    expect(outcomes(bot)).toEqual([['silence', 'not_owner']])
    expect(world.simulator.messages).toEqual([])
  })

  test('gets the out-of-hours message once per closed hours', async () => {
    await using bot = await BotWorld.create({
      fallback_message: 'Sorry?',
      business_hours_enabled: true,
      business_hours: [{ day: 'monday', start_time: '09:00', end_time: '17:00' }],
      allow_automated_outside_hours: false,
      out_of_hours_message: 'We are closed.',
    })
    expect(await bot.say('Hello')).toEqual(['We are closed.'])
    expect(await bot.say('Hello?')).toEqual([])
    await bot.wait({ hours: 48 }) // Monday
    expect(await bot.say('Hello!')).toEqual(['Sorry?'])
    await bot.wait({ hours: 10 })
    expect(await bot.say('Hello')).toEqual(['We are closed.'])
    // Closed hours that never end are told about once, too.
    const off = { day: 'monday', enabled: false, start_time: '09:00', end_time: '17:00' }
    await bot.configure({ business_hours: [off] })
    expect(await bot.say('Hello')).toEqual(['We are closed.'])
    await bot.wait({ hours: 3 })
    expect(await bot.say('Hello')).toEqual([])
  })

  test('gets the out-of-hours message also while the bot is off, and waits for people', async () => {
    await using bot = await BotWorld.create({
      chatbot_enabled: false,
      business_hours_enabled: true,
      business_hours: [{ day: 'monday', start_time: '09:00', end_time: '17:00' }],
      out_of_hours_message: 'We are closed.',
    })
    await bot.admin.put('/api/organizations/settings', { new_conversations: 'general' })
    expect(await bot.say('Hello')).toEqual(['We are closed.'])
    expect(await bot.say('Hello?')).toEqual([])
    expect(await bot.conversation()).toMatchObject({ state: 'open' })
    expect(bot.world.rows('select source from transfers')).toEqual([{ source: 'new_conversation' }])
    await bot.wait({ hours: 48 }) // Monday
    expect(await bot.say('Now?')).toEqual([])
    await bot.wait({ hours: 10 })
    await bot.configure({ out_of_hours_notice: false })
    expect(await bot.say('Hello')).toEqual([])
    await bot.configure({ out_of_hours_notice: true })
    expect(outcomes(bot)).toEqual([
      ['hours', 'out_of_hours'],
      ['hours', 'out_of_hours_silent'],
    ])
    expect(await bot.say('Hello?')).toEqual(['We are closed.'])
    const preview = async (at: string): Promise<number> => {
      const { data } = await bot.admin.post('/api/chatbot/preview', { message: 'Hello', at })
      return (data['replies'] as Loose[]).length
    }
    expect(await preview('2026-11-23T16:59:00Z')).toBe(0) // a Monday
    expect(await preview('2026-11-23T17:00:00Z')).toBe(1)
  })

  test('reaches nobody while it is closed, if transfers are refused then', async () => {
    await using bot = await BotWorld.create({
      fallback_message: 'Sorry?',
      fallback_transfer_after: 2,
      business_hours_enabled: true,
      business_hours: [{ day: 'monday', start_time: '09:00', end_time: '17:00' }],
      transfer_outside_hours: 'refuse',
      out_of_hours_message: 'We are closed.',
    })
    expect(await bot.say('I need a human')).toEqual(['We are closed.'])
    expect(await bot.say('Hello')).toEqual(['Sorry?'])
    expect(await bot.say('Hello?')).toEqual(['Sorry?'])
    await bot.configure({ chatbot_enabled: false, disabled_action: 'transfer' })
    expect(await bot.say('Anybody?')).toEqual([])
    expect(bot.world.rows('select id from transfers')).toEqual([])
    expect(await bot.conversation()).toMatchObject({ state: 'open' })
    await bot.wait({ hours: 48 }) // Monday
    await bot.say('Now?')
    expect(bot.world.rows('select source from transfers')).toEqual([{ source: 'chatbot_disabled' }])
  })

  test('is no answer of the team: the customer waits until a person writes', async () => {
    await using bot = await BotWorld.create()
    const { world } = bot
    await bot.rule({ keywords: ['hours'], response: 'From 9 to 5.' })
    expect(await bot.say('hours')).toEqual(['From 9 to 5.'])
    await bot.wait({ minutes: 5 })
    await world.simulator.customer({ phone: world.tenant.phoneId }).says('Anybody there?')
    await world.settle()
    const waiting = async (): Promise<unknown[]> => {
      const { data } = await bot.admin.get('/api/conversations?sort=oldest_unanswered')
      return (data['items'] as Loose[]).map((one) => [
        (one['last_message'] as Loose)['preview'],
        one['first_response_at'],
      ])
    }
    expect(await waiting()).toEqual([
      ['From 9 to 5.', null],
      ['Anybody there?', null],
    ])
    await bot.wait({ minutes: 5 })
    const { id } = (
      (await bot.admin.get('/api/conversations?sort=oldest_unanswered')).data['items'] as Loose[]
    )[0] as Loose
    await bot.admin.post(`/api/conversations/${String(id)}/messages`, {
      type: 'text',
      text: 'Here I am.',
    })
    await world.settle()
    expect(await waiting()).toEqual([
      ['Anybody there?', null],
      ['Here I am.', '2026-11-21T09:40:00.000Z'],
    ])
    const { data } = await bot.admin.get('/api/analytics/agents')
    expect((data['summary'] as Loose)['avg_first_response_seconds']).toBe(600)
  })

  test('is transferred after fallbacks in a row, not after as many in all', async () => {
    await using bot = await BotWorld.create({
      fallback_message: 'Sorry?',
      fallback_transfer_after: 2,
      transfer_message: 'A person comes.',
    })
    await bot.rule({ keywords: ['hours'], response: 'From 9 to 5.' })
    expect(await bot.say('Blah')).toEqual(['Sorry?'])
    expect(await bot.say('hours')).toEqual(['From 9 to 5.'])
    expect(await bot.say('Blah')).toEqual(['Sorry?'])
    expect(await bot.say('Blah again')).toEqual(['A person comes.'])
  })

  test('while the bot is off is transferred once if the settings say so', async () => {
    await using bot = await BotWorld.create({ chatbot_enabled: false, disabled_action: 'transfer' })
    await bot.say('Hello')
    await bot.say('Hello?')
    const { data } = await bot.admin.get('/api/chatbot/transfers')
    expect(data['transfers']).toMatchObject([{ source: 'chatbot_disabled', status: 'active' }])
  })

  test('costs an organization without a bot nothing', async () => {
    await using bot = await BotWorld.create({ chatbot_enabled: false })
    await bot.say('Hello')
    expect([bot.trace(), bot.sessions()]).toEqual([[], []])
    expect(bot.world.rows("select kind from jobs where kind like 'chatbot.turn'")).toEqual([])
  })

  test('of a text that opts out is confirmed, and nothing else answers', async () => {
    await using bot = await BotWorld.create({ fallback_message: 'Sorry?' })
    await bot.admin.put('/api/consent-settings', {
      opt_out_keywords: ['stop'],
      opt_in_keywords: [],
      opt_out_reply: 'You are out.',
      opt_in_reply: null,
    })
    expect(await bot.say('STOP')).toEqual(['You are out.'])
    expect(outcomes(bot)).toEqual([['consent', 'consent_word']])
  })

  test('silences the bot for ten minutes when another bot answers ours', async () => {
    await using bot = await BotWorld.create({
      fallback_message: 'Sorry?',
      fallback_transfer_after: null,
    })
    for (let nth = 0; nth < 21; nth += 1) expect(await bot.say(`${nth}`)).toEqual(['Sorry?'])
    expect(await bot.say('once more')).toEqual([])
    expect(
      bot.world.rows("select distinct title from notifications where kind = 'bot_loop'"),
    ).toEqual([{ title: 'The chatbot is silent for a contact' }])
    await bot.wait({ minutes: 10 })
    expect(await bot.say('Hello')).toEqual(['Sorry?'])
  })
})
