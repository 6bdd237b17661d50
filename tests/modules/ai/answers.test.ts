import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { AiWorld } from '../../support/ai'

let own: AiWorld
beforeAll(async () => {
  own = await AiWorld.create()
})
afterAll(() => own.stop())

describe('the test of the settings', () => {
  for (const [provider, settings, header] of [
    ['openai', { ai_provider: 'openai', ai_model: 'gpt-4o-mini' }, 'authorization'],
    ['anthropic', { ai_provider: 'anthropic', ai_model: 'claude-haiku-4-5' }, 'x-api-key'],
    ['google', { ai_provider: 'google', ai_model: 'gemini-2.5-flash' }, 'x-goog-api-key'],
  ] as const)
    test(`asks ${provider} as it documents`, async () => {
      await own.configure(settings)
      const answer = await own.ask('When are you open?')
      expect(answer).toMatchObject({
        success: true,
        outcome: 'answer',
        provider,
        model: settings.ai_model,
        error: null,
      })
      const asked = own.ai.requests.at(-1)
      expect(asked).toMatchObject({ provider, model: settings.ai_model, maxTokens: 500 })
      expect(asked?.headers[header]).toContain(own.ai.key)
      expect(own.ai.refused).toEqual([])
    })
})
