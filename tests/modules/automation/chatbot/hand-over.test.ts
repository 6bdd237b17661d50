import { describe, expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'
import { changeRows } from '../../../support/sql'

const CLOSED = {
  business_hours_enabled: true,
  business_hours: [{ day: 'monday', start_time: '00:00', end_time: '00:01' }],
  out_of_hours_message: 'We are closed.',
  transfer_outside_hours: 'refuse',
}

test('a customer whose first word asks for a person has an open conversation', async () => {
  await using bot = await BotWorld.create({ transfer_keywords: ['human'] })
  await bot.say('human')
  expect(bot.world.rows('select status from transfers')).toEqual([{ status: 'active' }])
  expect(await bot.conversation()).toMatchObject({ state: 'open', bot_active: false })
})

test('a rule transfers to its own team, and one without a team to the general queue', async () => {
  await using bot = await BotWorld.create()
  const team = async (name: string): Promise<string> => {
    const { data } = await bot.admin.post('/api/teams', { name })
    return (data['team'] as { id: string }).id
  }
  const [sales, service] = [await team('Sales'), await team('Service')]
  const rule = async (word: string, more = {}): Promise<string> =>
    await bot.rule({ keywords: [word], response_type: 'transfer', response_content: more })
  await rule('buy', { team_id: sales })
  await rule('broken', { team_id: service })
  await rule('anybody', { team_id: 'general' })
  const teams: unknown[] = []
  for (const word of ['broken', 'buy', 'anybody']) {
    await bot.say(word)
    const { data } = await bot.admin.get('/api/chatbot/transfers?status=active')
    teams.push((data['transfers'] as { team_id: unknown }[])[0]?.team_id)
    await bot.endTransfer()
    bot.world.clock.advance({ minutes: 1 })
  }
  expect(teams).toEqual([service, sales, null])
})

test('a flow transfers nobody while the settings refuse it', async () => {
  await using bot = await BotWorld.create(CLOSED)
  await bot.flow([
    ['hi', 'message', { message: 'Hi.' }],
    ['person', 'transfer', { body: 'One moment.' }],
  ])
  expect(await bot.say('begin')).toEqual(['Hi.\n\nWe are closed.'])
  expect(bot.world.rows('select status from transfers')).toEqual([])
  expect(bot.sessions()).toMatchObject([{ status: 'cancelled', end_reason: 'out_of_hours' }])
  expect(await bot.conversation()).toMatchObject({ state: 'open' })
})

test('buttons whose second text is too long go the way of an error', async () => {
  await using bot = await BotWorld.create()
  const buttons = [{ id: 'yes', title: 'Yes' }]
  await bot.flow(
    [
      ['ask', 'buttons', { body: 'Well?', buttons, retry_message: 'You said {{message.text}}' }],
      ['end', 'end', { message: 'Good.' }],
      ['error', 'end', { message: 'That was long.' }],
    ],
    { edges: [['ask', 'error', 'error']] },
  )
  await bot.say('begin')
  expect(await bot.say('no')).toEqual(['You said no [Yes]'])
  expect(await bot.say('x'.repeat(1_500))).toEqual(['That was long.'])
})

const OURS = 'I am handing you over to our team. They will answer you here.'

/** Open on weekdays from 9 to 17; the test world begins on a day of its own. */
const WEEKDAYS_FROM_9 = {
  business_hours_enabled: true,
  business_hours: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].map((day) => ({
    day,
    start_time: '09:00',
    end_time: '17:00',
  })),
}

describe('every hand-over speaks', () => {
  test('by a word, in our text or that of the settings, which is a template', async () => {
    await using bot = await BotWorld.create({ transfer_keywords: ['human'] })
    expect(await bot.say('a human, please')).toEqual([OURS])
    await bot.endTransfer()
    await bot.configure({ transfer_message: 'A colleague comes, {{ contact_name }}.' })
    expect(await bot.say('a human, please')).toEqual(['A colleague comes, Ana Sol.'])
  })

  test('a rule and a node keep their own text', async () => {
    await using bot = await BotWorld.create()
    await bot.rule({ keywords: ['complaint'], response_type: 'transfer', response: 'Oh dear.' })
    await bot.rule({ keywords: ['offer'], response_type: 'transfer' })
    await bot.flow([['person', 'transfer', { body: 'We look it up.' }]])
    expect(await bot.say('complaint')).toEqual(['Oh dear.'])
    await bot.endTransfer()
    expect(await bot.say('offer')).toEqual([OURS])
    await bot.endTransfer()
    expect(await bot.say('begin')).toEqual(['We look it up.'])
  })

  test('a node whose text is too long speaks nevertheless', async () => {
    await using bot = await BotWorld.create()
    await bot.flow([['person', 'transfer', { body: '{{ message.text }}'.repeat(3) }]], {
      trigger_keywords: ['begin'],
    })
    expect(await bot.say(`begin ${'x'.repeat(2_000)}`)).toEqual([OURS])
  })

  test('the last fallback is the hand-over, not one more "I did not get that"', async () => {
    await using bot = await BotWorld.create({ fallback_message: 'Sorry?' })
    expect(await bot.say('one')).toEqual(['Sorry?'])
    expect(await bot.say('two')).toEqual(['Sorry?'])
    expect(await bot.say('three')).toEqual([OURS])
    expect(bot.world.rows('select source from transfers')).toEqual([{ source: 'fallback' }])
  })

  test('while the bot is off, once', async () => {
    await using bot = await BotWorld.create({ chatbot_enabled: false, disabled_action: 'transfer' })
    expect(await bot.say('hello')).toEqual([OURS])
    expect(await bot.say('hello?')).toEqual([])
  })

  test('in the language of the customer, else of the organization', async () => {
    await using bot = await BotWorld.create({ transfer_keywords: ['human'] })
    changeRows(bot.world.program.http.db.sqlite, "update users set language = 'fr'")
    expect(await bot.say('human')).toEqual([
      'Je vous mets en relation avec notre équipe. Elle vous répondra ici.',
    ])
    await bot.endTransfer()
    const [{ id: contactId } = {}] = bot.world.rows('select id from contacts')
    await bot.admin.put(`/api/contacts/${String(contactId)}`, { language: 'pt-BR' })
    expect(await bot.say('human')).toEqual([
      'Vou passar a conversa para a nossa equipe. A resposta virá por aqui.',
    ])
  })

  test('outside hours it says when we open', async () => {
    await using bot = await BotWorld.create({
      transfer_keywords: ['human'],
      ...WEEKDAYS_FROM_9,
      out_of_hours_message: 'We are closed.',
    })
    await bot.goTo('2027-01-08T18:00:00Z') // a Friday
    expect(await bot.say('human')).toEqual([
      `${OURS} We are closed at the moment. We open again: Monday 9:00 AM.`,
    ])
    await bot.endTransfer()
    await bot.configure({ transfer_message_closed: 'Until {{ opens_at }} nobody is here.' })
    expect(await bot.say('human')).toEqual(['Until Monday 9:00 AM nobody is here.'])
    await bot.endTransfer()
    await bot.goTo('2027-01-11T10:00:00Z')
    expect(await bot.say('human')).toEqual([OURS])
  })
})
