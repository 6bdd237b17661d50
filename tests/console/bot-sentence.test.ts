import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import type { Client, Loose } from '../support/client'
import { World } from '../support/world'

type Said = [key: string, values?: Record<string, string>]

// code of the browser, whose types the tests of the server do not have
const ofConsole = (path: string): Promise<unknown> =>
  import(join(import.meta.dir, '../../src/console', path))
const { sentencesOf } = (await ofConsole('pages/bot/sentence')) as {
  sentencesOf: (settings: Loose) => Said[]
}
const { loadLateTexts } = (await ofConsole('texts/texts')) as { loadLateTexts: () => Promise<void> }
await loadLateTexts()

/** Every choice of the settings that decide what the bot does. */
const CHOICES = {
  chatbot_enabled: [true, false],
  disabled_action: ['none', 'transfer'],
  business_hours_enabled: [true, false],
  allow_automated_outside_hours: [true, false],
  out_of_hours_notice: [true, false],
  transfer_outside_hours: ['queue', 'refuse'],
  ai_enabled: [true, false],
  fallback_message: [null, 'FALLBACK'],
}

/** Returns every combination of choices. */
const combinationsOf = (choices: Record<string, readonly unknown[]>): Loose[] =>
  Object.entries(choices)
    .reduce<Loose[]>(
      (all, [name, values]) =>
        all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
      [{}],
    )
    // what a bot does that is off changes nothing while it is on
    .filter((one) => one['chatbot_enabled'] !== true || one['disabled_action'] === 'none')

const OPEN = '2026-11-30T12:00:00Z'
const CLOSED = '2026-11-29T12:00:00Z'

/** What the sentences promise to customers. */
function promisedBy(said: Said[]) {
  const keys = new Set(said.map(([key]) => key))
  const [means = ''] = said.flatMap(([, values]) =>
    values?.['means'] === undefined ? [] : [values['means']],
  )
  const isOff = keys.has('bot.now.off')
  const isRefused = keys.has('bot.now.hands-hours') || keys.has('bot.now.off-transfer-hours')
  const isTold = ['off-closed', 'closed-only', 'closed-first'].some((one) =>
    keys.has(`bot.now.${one}`),
  )
  return {
    rule: means.includes('rules'),
    ai: means.includes('AI'),
    fallback: means.includes('fallback'),
    told: isTold,
    answersClosed: keys.has('bot.now.always'),
    handsOpen: !isOff,
    handsClosed: !isOff && !isRefused,
  }
}

describe('what the console says that the bot does', () => {
  let world: World
  let admin: Client
  beforeAll(async () => {
    world = await World.create()
    admin = await world.as('admin')
    await admin.put('/api/chatbot/settings', {
      business_hours: [{ day: 'monday', start_time: '00:00', end_time: '24:00' }],
      out_of_hours_message: 'CLOSED',
      transfer_message: 'PERSON',
      transfer_message_closed: 'PERSON LATER',
      ...{ ai_provider: 'openai', ai_model: 'm', ai_api_key: 'sk-1234567890' },
      ...{ ai_purpose: 'Answers questions about cakes.', ai_disclosure: 'off' },
    })
  })
  afterAll(() => world.stop())

  /** What a customer gets for a text at a time. */
  async function answerTo(message: string, at: string) {
    const { data } = await admin.post('/api/chatbot/preview', { message, at })
    const replies = data['replies'] as { message: Loose }[]
    const text = replies.map(({ message: sent }) => String(sent['text'])).join(' ')
    return {
      has: (word: string): boolean => text.includes(word),
      isAi: text.includes('(answer of the AI)'),
    }
  }

  test.each([false, true])(
    'is what it does, for every combination of settings; with a rule: %p',
    async (hasRule) => {
      if (hasRule)
        await admin.post('/api/chatbot/keywords', { keywords: ['cake'], response: 'RULE' })
      let seen = 0
      const wrong: unknown[] = []
      const choices = hasRule ? { ...CHOICES, fallback_message: [null] } : CHOICES
      for (const combination of combinationsOf(choices)) {
        const settings = await admin.put('/api/chatbot/settings', combination)
        const says = promisedBy(sentencesOf(settings.data))
        const [open, closed] = [await answerTo('cake', OPEN), await answerTo('cake', CLOSED)]
        const asked = [await answerTo('agent', OPEN), await answerTo('agent', CLOSED)]
        const answers = says.rule || says.ai || says.fallback
        const does = {
          rule: open.has('RULE'),
          ai: open.isAi || (says.ai && open.has('RULE')),
          fallback: open.has('FALLBACK'),
          told: closed.has('CLOSED'),
          answersClosed: answers
            ? closed.has('RULE') || closed.isAi || closed.has('FALLBACK')
            : says.answersClosed,
          handsOpen: asked[0]?.has('PERSON'),
          handsClosed: asked[1]?.has('PERSON'),
        }
        if (says.ai) seen += 1
        if (!Bun.deepEquals(does, says)) wrong.push({ combination, does, says })
      }
      expect(combinationsOf(CHOICES)).toHaveLength(192)
      expect(seen).toBe(combinationsOf(choices).length / 6) // a third of them is on, half of it uses AI
      expect(wrong.slice(0, 3)).toEqual([])
    },
    60_000,
  )
})
