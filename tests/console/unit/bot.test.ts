import { QueryClient } from '@tanstack/react-query'
import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'

import type { ChatbotSettings } from '../../../src/console/api/shapes'
import { applyFrame } from '../../../src/console/live/patch'
import { dropRefreshes } from '../../../src/console/live/refresh'
import { shownAnswer } from '../../../src/console/pages/bot/rules/answer'
import { bodyOf, EMPTY_RULE } from '../../../src/console/pages/bot/rules/form'
import { priorityBeside, reasonOf } from '../../../src/console/pages/bot/rules/place'
import { EMPTY_SOURCE, kindOf, sourceBodyOf } from '../../../src/console/pages/bot/ai/source-form'
import {
  endOf,
  entriesOf,
  shownMessage,
  stepInWords,
  targetOf,
  whereOf,
  type SessionMessage,
  type Step,
} from '../../../src/console/pages/bot/sessions/words'
import { missingIn } from '../../../src/console/pages/bot/checklist'
import { nowInWords, sentencesOf, type Deciding } from '../../../src/console/pages/bot/sentence'
import { MERGE } from '../../../src/console/pages/bot/settings-form'
import { LANGUAGES, type Language } from '../../../src/console/texts/languages'
import { findText, loadLateTexts, setLanguage } from '../../../src/console/texts/texts'

await loadLateTexts()
const TEAM = { id: 't', name: 'Counter' }
const SETTINGS = {
  chatbot_enabled: true,
  disabled_action: 'none',
  business_hours_enabled: false,
  allow_automated_outside_hours: true,
  out_of_hours_notice: true,
  transfer_outside_hours: 'queue',
  greeting_message: 'Hello',
  fallback_message: 'Sorry',
  fallback_transfer_after: 3,
  transfer_keywords: [],
  person_words_languages: null,
  ai_enabled: false,
  ai_handover: true,
  ai_disclosure: 'always',
  ai_data_terms_confirmed: true,
  works_with: { rules: 1, flows: 0, teams: [], general_queue: false },
  warnings: [],
} as unknown as ChatbotSettings // the other settings are not asked for

const CHOICES: Partial<Record<keyof Deciding, unknown[]>> = {
  chatbot_enabled: [true, false],
  disabled_action: ['none', 'transfer'],
  business_hours_enabled: [true, false],
  allow_automated_outside_hours: [true, false],
  out_of_hours_notice: [true, false],
  transfer_outside_hours: ['queue', 'refuse'],
  greeting_message: [null, 'Hello'],
  fallback_message: [null, 'Sorry'],
  fallback_transfer_after: [null, 3],
  transfer_keywords: [[], ['counter']],
  person_words_languages: [null, []],
  ai_enabled: [true, false],
  ai_handover: [true, false],
  works_with: [
    { rules: 0, flows: 0, teams: [], general_queue: false },
    { rules: 2, flows: 1, teams: [TEAM], general_queue: false },
    { rules: 0, flows: 1, teams: [], general_queue: true },
  ],
}
const ALL = Object.entries(CHOICES).reduce<Deciding[]>(
  (all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
  [SETTINGS],
)

describe('what the bot does now', () => {
  // the language of the page is an attribute of it
  Object.assign(globalThis, { document: { documentElement: {} } })
  afterAll(async () => {
    await setLanguage('en')
    Reflect.deleteProperty(globalThis, 'document')
  })

  test('is said in English as people say it', () => {
    const says = (change: Partial<ChatbotSettings>): string =>
      nowInWords({ ...SETTINGS, ...change })
    expect(says({})).toBe(
      'The bot answers at any time with rules. It hands over to the general queue.',
    )
    expect(
      says({
        ai_enabled: true,
        business_hours_enabled: true,
        allow_automated_outside_hours: false,
        transfer_outside_hours: 'refuse',
        works_with: { rules: 1, flows: 2, teams: [TEAM], general_queue: false },
      }),
    ).toBe(
      'The bot answers during business hours with rules, flows, and AI. Outside business hours it ' +
        'only says that you are closed. During business hours it hands over to Counter and the ' +
        'general queue.',
    )
    expect(says({ chatbot_enabled: false, business_hours_enabled: true })).toBe(
      'The bot is off. People answer every message. Outside business hours it still tells ' +
        'customers that you are closed.',
    )
  })

  test.each(Object.keys(LANGUAGES) as Language[])(
    'is said in %s, whatever is set',
    async (language) => {
      await setLanguage(language)
      const said = new Map<string, Set<string>>()
      for (const settings of ALL) {
        const words = nowInWords(settings)
        const meaning = JSON.stringify(sentencesOf(settings))
        said.set(words, (said.get(words) ?? new Set()).add(meaning))
        expect(words).not.toMatch(/[{}]|bot\.|undefined/)
      }
      // what is said differs as soon as what it means does
      expect([...said.values()].filter(({ size }) => size > 1)).toEqual([])
      expect(said.size).toBeGreaterThan(40)
    },
  )

  test('names a way to a person exactly if there is one', () => {
    for (const settings of ALL.filter(({ chatbot_enabled: isOn }) => isOn)) {
      const { teams, general_queue: isGeneral } = settings.works_with
      const hasWay =
        teams.length > 0 ||
        isGeneral ||
        settings.transfer_keywords.length > 0 ||
        settings.person_words_languages === null ||
        settings.fallback_transfer_after !== null ||
        (settings.ai_enabled && settings.ai_handover)
      const keys = sentencesOf(settings).map(([key]) => key)
      expect(keys.includes('bot.now.hands-nobody')).toBe(!hasWay)
    }
  })
})

describe('what the bot lacks', () => {
  const at = { hasNumber: true, knowledge: 1 }
  const lacks = (change: Partial<ChatbotSettings>, where = at): string[] =>
    missingIn({ ...SETTINGS, ...change }, where).map(({ id }) => id)

  test('is nothing, or what was forgotten', () => {
    const nothing = { rules: 0, flows: 0, teams: [], general_queue: false }
    expect(lacks({})).toEqual([])
    expect(lacks({}, { ...at, hasNumber: false })).toEqual(['number'])
    expect(lacks({ works_with: nothing })).toEqual(['answers'])
    expect(lacks({ works_with: nothing, ai_enabled: true })).toEqual([])
    expect(lacks({ greeting_message: null, fallback_message: null })).toEqual([
      'fallback',
      'greeting',
    ])
    expect(
      lacks({
        warnings: [
          { code: 'never_open', message: '' },
          { code: 'human_path_missing', message: '' },
        ],
      }),
    ).toEqual(['human_path_missing', 'never_open'])
  })

  test('leads to the thing that is to be mended', () => {
    const nothing = { rules: 0, flows: 0, teams: [], general_queue: false }
    const warnings = (['never_open', 'human_path_missing'] as const).map((code) => ({
      ...{ code, message: '' },
    }))
    const lacking: Partial<ChatbotSettings> = {
      ...{ warnings, greeting_message: null, fallback_message: null },
      ...{ ai_enabled: true, ai_disclosure: 'off', ai_data_terms_confirmed: false },
    }
    const waysOf = (change: Partial<ChatbotSettings>): Record<string, string[]> =>
      Object.fromEntries(
        missingIn({ ...SETTINGS, ...lacking, ...change }, { hasNumber: false, knowledge: 0 }).map(
          ({ id, ways }) => [id, ways.map(({ to, part }) => (part ? `${to}#${part}` : to))],
        ),
      )
    expect(waysOf({ account_id: null })).toEqual({
      number: ['/settings/numbers'],
      human_path_missing: ['/bot#person'],
      never_open: ['/settings/hours'],
      fallback: ['/bot#fallback'],
      greeting: ['/bot#greeting'],
      disclosure: ['/bot#disclosure'],
      terms: ['/bot/ai'],
      knowledge: ['/bot/ai'],
    })
    expect(waysOf({ account_id: 'a number' })['never_open']).toEqual(['/bot#hours'])
    expect(waysOf({ works_with: nothing, ai_enabled: false })['answers']).toEqual([
      ...['/bot/rules', '/bot/flows', '/bot/ai'],
    ])
  })

  test('counts what concerns the AI only while it answers', () => {
    const careless = { ai_disclosure: 'off', ai_data_terms_confirmed: false } as const
    expect(lacks({ ...careless, ai_enabled: true }, { ...at, knowledge: 0 })).toEqual([
      'disclosure',
      'terms',
      'knowledge',
    ])
    expect(lacks({ ...careless, ai_enabled: false })).toEqual([])
    expect(lacks({ ...careless, ai_enabled: true, chatbot_enabled: false })).toEqual([])
  })
})

describe('a rule', () => {
  const at = (priority: number, keyword = 'open') => ({ id: keyword, keyword, priority })

  test('that is moved wins against the one that it is put before, within the limits', () => {
    expect(priorityBeside(at(10), 'before')).toBe(11)
    expect(priorityBeside(at(10), 'behind')).toBe(9)
    expect(priorityBeside(at(1_000), 'before')).toBe(1_000)
    expect(priorityBeside(at(-1_000), 'behind')).toBe(-1_000)
  })

  test('answers for the reason that is told', () => {
    expect(reasonOf([at(10)])).toBe('only')
    expect(reasonOf([at(20), at(10, 'opening hours')])).toBe('priority')
    expect(reasonOf([at(10, 'opening'), at(10)])).toBe('length')
    expect(reasonOf([at(10, 'open'), at(10, 'shut')])).toBe('older')
    // as many characters, although not as many units of a text
    expect(reasonOf([at(10, '🙂🙂'), at(10, 'ab')])).toBe('older')
  })

  test('is shown as the customer gets it', () => {
    const shown = (kind: string, content: object = {}, response: string | null = 'Hello') =>
      shownAnswer({
        response_type: kind as 'text',
        response,
        response_content: content as Record<string, unknown>,
      })
    expect(shown('text')).toMatchObject({ body: 'Hello', buttons: [], header: null })
    expect(shown('transfer', {}, null)).toBeNull()
    expect(shown('flow')).toBeNull()
    const titles = ['a', 'b', 'c', 'd'].map((title) => ({ title }))
    const few = shown('buttons', { header: 'Top', footer: 'End', buttons: titles.slice(1) })
    expect(few).toMatchObject({ header: { kind: 'text', text: 'Top' }, footer: 'End', list: null })
    expect(few?.buttons.map(({ text }) => text)).toEqual(['b', 'c', 'd'])
    expect(shown('buttons', { buttons: titles })).toMatchObject({
      buttons: [],
      list: { sections: [{ rows: [{ title: 'a' }, {}, {}, { title: 'd' }] }] },
    })
    expect(shown('media', { kind: 'image', media_id: 'm' })?.header).toEqual({
      kind: 'image',
      file: '/api/media/m',
    })
    // the policy of the page loads nothing from elsewhere
    expect(shown('media', { kind: 'image', url: 'https://x.example/a.png' })?.header).toEqual({
      kind: 'image',
      file: null,
    })
  })

  test('is sent without what its kind does not need, and without an empty name', () => {
    const whole = { ...EMPTY_RULE, content: { notes: 'n' } }
    expect(bodyOf({ name: ' ', priority: 3 }, whole)).toEqual({ priority: 3 })
    expect(bodyOf({ response_type: 'transfer' }, whole)).toEqual({
      response_type: 'transfer',
      response_content: { notes: 'n' },
    })
  })
})

describe('a source of knowledge', () => {
  const page = {
    ...EMPTY_SOURCE,
    url: 'https://shop.example.com/stock',
    headers: [
      { name: 'authorization', value: '***' },
      { name: '', value: 'x' },
    ],
    body: '{}',
    path: 'items',
  }

  test('is sent as its kind needs it', () => {
    expect(sourceBodyOf({ content: 'A', url: 'u' }, EMPTY_SOURCE, 'text')).toEqual({ content: 'A' })
    expect(sourceBodyOf({ content: 'A', name: 'N' }, EMPTY_SOURCE, 'document')).toEqual({
      name: 'N',
    })
    expect(sourceBodyOf({ enabled: false }, page, 'page')).toEqual({ enabled: false })
  })

  test('has its request sent as a whole, with the values of headers that nobody sees', () => {
    const api_config = {
      url: page.url,
      method: 'GET' as const,
      headers: { authorization: '***' },
      body: null,
      response_path: 'items',
      cache_seconds: 300,
    }
    expect(sourceBodyOf({ path: 'items' }, page, 'page')).toEqual({ api_config })
    expect(sourceBodyOf({ method: 'POST' }, { ...page, method: 'POST', path: '' }, 'page')).toEqual(
      {
        api_config: { ...api_config, method: 'POST', body: '{}', response_path: null },
      },
    )
  })

  test('is a page, a text or a document', () => {
    const of = (context_type: 'static' | 'api', document: object | null) =>
      kindOf({ context_type, document } as Parameters<typeof kindOf>[0])
    expect([of('api', null), of('static', null), of('static', {})]).toEqual([
      'page',
      'text',
      'document',
    ])
  })
})

describe('a session', () => {
  const message = (direction: string, id: string, content: object = {}) =>
    ({ direction, id, content, preview: '', type: 'text' }) as unknown as SessionMessage
  const step = (seq: number, from: string | null, ...sent: string[]) =>
    ({ seq, message_id: from, sent_message_ids: sent }) as unknown as Step

  test('is told in the order in which it happened: question, steps, answer', () => {
    const say = (direction: string, text: string) => message(direction, text, { text })
    const session = {
      // two messages of one second, of which the second was written after the first answer
      messages: [
        say('incoming', 'order'),
        say('incoming', 'A-1'),
        say('outgoing', 'Which?'),
        say('outgoing', 'Thanks'),
        say('outgoing', 'Later'),
      ],
      trace: [
        step(1, 'order', 'Which?'),
        step(2, 'order', 'Which?'),
        step(3, 'A-1'),
        step(4, 'A-1', 'Thanks'),
        step(5, null),
      ],
    }
    expect(
      entriesOf(session).map((entry) =>
        'step' in entry ? entry.step.seq : shownMessage(entry.message).body,
      ),
    ).toEqual(['order', 1, 2, 'Which?', 'A-1', 3, 4, 'Thanks', 5, 'Later'])
    const unknown = { messages: session.messages.slice(0, 3), trace: [] }
    expect(entriesOf(unknown).map((entry) => 'message' in entry && entry.message.id)).toEqual([
      'order',
      'A-1',
      'Which?',
    ])
  })

  test('shows what was written, its buttons, and never an object', () => {
    const body = { kind: 'button', body: 'Hi', footer: 'F', buttons: [{ id: 'x', title: 'Yes' }] }
    expect(shownMessage(message('outgoing', '', body))).toMatchObject({
      body: 'Hi',
      footer: 'F',
      buttons: [{ kind: 'reply', text: 'Yes' }],
    })
    expect(shownMessage(message('outgoing', '', { media: {} })).body).toBe('[text]')
  })

  test('says where it stands and what a step did', () => {
    const at = { id: 'ask', type: 'prompt', label: 'Ask for the number' }
    const where = (more: object): string =>
      whereOf({ step: null, waiting_for: null, status: 'active', ...more })
    expect(where({ step: at, waiting_for: 'reply' })).toBe(
      'Ask for the number · waits for an answer',
    )
    expect(where({ step: { ...at, label: null }, status: 'completed' })).toBe('Question')
    expect(where({ step: { ...at, label: null, type: 'odd' } })).toBe('step “ask”')
    expect(where({})).toBe('')
    const rule = `rule:${'0'.repeat(8)}-0000-7000-8000-${'0'.repeat(12)}`
    expect(stepInWords({ stage: 'rules', outcome: rule })).toBe('answered by the rule')
    expect(targetOf({ outcome: rule })).toEqual({ kind: 'rule', id: rule.slice(5) })
    expect(targetOf({ outcome: 'rule:x' })).toBeNull()
    expect(stepInWords({ stage: 'greeting', outcome: 'none' })).toBe('there is none')
    expect(stepInWords({ stage: 'flow', outcome: 'button:yes' })).toBe('a button was tapped')
    expect(stepInWords({ stage: 'flow', outcome: 'something new' })).toBe('something new')
  })

  test('has words for everything that the bot does, and for every end', async () => {
    const engine = join(import.meta.dir, '../../../src/modules/automation/chatbot/engine')
    const files = [...new Bun.Glob('**/*.ts').scanSync(engine)]
    const code = (
      await Promise.all(files.map((file) => Bun.file(join(engine, file)).text()))
    ).join()
    const found = (pattern: RegExp): string[] => [
      ...new Set([...code.matchAll(pattern)].map(([, word = '']) => word)),
    ]
    const outcomes = found(/outcome(?::| =) '([a-z_]+)'/g)
    const stopped = found(/stop\(run, '[a-z]+', '([a-z_]+)'\)/g)
    const ends = found(/endSession\(run, '[a-z]+', '([a-z_]+)'\)/g)
    const reasons = found(/reason: '([a-z_]+)'/g)
    expect(outcomes.length + stopped.length).toBeGreaterThan(20)
    const unsaid = [...outcomes, ...stopped].filter(
      (outcome) => findText(`bot.outcome.${outcome}`) === null,
    )
    expect(unsaid).toEqual([])
    expect(ends.length + reasons.length).toBeGreaterThan(6)
    expect(
      [...ends, ...reasons].filter((reason) => endOf({ end_reason: reason }) === reason),
    ).toEqual([])
  })
})

describe('sessions and knowledge on the screen', () => {
  const SESSION = ['GET /api/chatbot/sessions/{id}', { id: 's' }]
  const SOURCES = ['GET /api/chatbot/ai-contexts', { page: 1 }]
  const stale = (type: string, payload: Record<string, unknown>): boolean[] => {
    const client = new QueryClient()
    for (const key of [SESSION, SOURCES]) client.setQueryData(key, {})
    applyFrame(client, { type, payload, seq: 1, at: '2026-12-01T10:00:00.000Z' })
    dropRefreshes(client)
    return [SESSION, SOURCES].map((key) => client.getQueryState(key)?.isInvalidated === true)
  }
  const message = { id: 'm', conversation_id: 'c', content: {}, type: 'text', timestamp: '' }

  test('are loaded again by what the bot does, and by nothing else', () => {
    const [ofBot, toBot] = [{ source: 'chatbot' }, { conversation: { bot_active: true } }]
    expect(stale('message:new', { ...message, ...ofBot })).toEqual([true, false])
    expect(stale('message:new', { ...message, ...toBot })).toEqual([true, false])
    expect(stale('message:new', { ...message, source: 'agent' })).toEqual([false, false])
    expect(stale('conversation:updated', { id: 'c', changed: ['bot_active'] })).toEqual([
      true,
      false,
    ])
    expect(stale('conversation:updated', { id: 'c', changed: ['state'] })).toEqual([false, false])
    expect(stale('ai_context:updated', { id: 'x' })).toEqual([false, true])
  })
})

test('two people who changed the holidays of a number read both in words', () => {
  const eve = { date: '2026-12-24', name: 'Eve' }
  const both = [
    { date: '2026-12-25', name: '', intervals: [] },
    { ...eve, intervals: [{ start_time: '09:00', end_time: '13:00' }] },
  ]
  expect(MERGE.label('holidays')).toBe('Holidays')
  expect(MERGE.show?.('holidays', both, [])).toBe(
    'Dec 24, 2026, Eve: 9:00 AM–1:00 PM; Dec 25, 2026: Closed',
  )
  expect(MERGE.show?.('out_of_hours_message', 'Closed.', '')).toBeNull()
})
