import { expect, test } from 'bun:test'

import { BotWorld } from '../../support/bots'

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
