import { describe, expect, test } from 'bun:test'

import { BotWorld } from '../../support/bots'

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
    expect(bot.trace().map(({ stage, outcome }) => [stage, outcome])).toEqual([
      ['greeting', 'greeted'],
      ['fallback', 'greeting_answers'],
      ['fallback', 'fallback'],
    ])
  })
})
