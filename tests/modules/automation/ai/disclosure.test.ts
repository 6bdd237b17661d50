import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { AiWorld } from '../../../support/ai'
import type { Loose } from '../../../support/client'

let own: AiWorld
beforeAll(async () => {
  own = await AiWorld.create()
  await own.configure({ chatbot_enabled: true, debounce_seconds: 0 })
  own.ai.answers = () => 'Yes.'
})
afterAll(() => own.stop())

const ENGLISH = 'You are chatting with an AI assistant.'

/** Words for it in each official language of the European Union. */
const WORDS: Readonly<Record<string, string>> = {
  bg: 'изкуствен интелект',
  cs: 'umělou inteligenci',
  da: 'AI-assistent',
  de: 'KI-Assistent',
  el: 'τεχνητής νοημοσύνης',
  en: 'AI assistant',
  es: 'inteligencia artificial',
  et: 'tehisintellekti',
  fi: 'tekoälyavustajan',
  fr: 'intelligence artificielle',
  ga: 'intleachta saorga',
  hr: 'umjetnoj inteligenciji',
  hu: 'mesterséges intelligenci',
  it: 'intelligenza artificiale',
  lt: 'dirbtinio intelekto',
  lv: 'mākslīgā intelekta',
  mt: 'intelliġenza artifiċjali',
  nl: 'AI-assistent',
  pl: 'sztucznej inteligencji',
  pt: 'inteligência artificial',
  ro: 'inteligență artificială',
  sk: 'umelú inteligenciu',
  sl: 'umetno inteligenco',
  sv: 'AI-assistent',
}

/** A customer, known with these facts, asks something. Returns the first line of the answer. */
async function told(waId: string, facts: Loose = {}): Promise<string> {
  const { data } = await own.admin.post('/api/contacts', { phone_number: waId, ...facts })
  const phone = own.world.tenant.phoneId
  await own.world.simulator.customer({ phone, waId }).says('Pizza?')
  await own.world.settle()
  const thread = await own.admin.get(`/api/contacts/${String(data['id'])}/messages`)
  const answer = (thread.data['items'] as Loose[]).find(({ direction }) => direction === 'outgoing')
  const text = String((answer?.['content'] as Loose | undefined)?.['text'])
  expect(text).toEndWith('\n\nYes.')
  return text.split('\n')[0] ?? ''
}

describe('the disclosure of AI', () => {
  test('is in every official language of the European Union', async () => {
    expect(Object.keys(WORDS)).toHaveLength(24)
    const sentences = new Set<string>()
    for (const [index, [language, words]] of Object.entries(WORDS).entries()) {
      const sentence = await told(`155507100${String(index).padStart(2, '0')}`, { language })
      expect(sentence.toLowerCase()).toContain(words.toLowerCase())
      sentences.add(sentence)
    }
    expect(sentences.size).toBe(24)
    const { data } = await own.admin.get('/api/compliance/ai')
    const [{ disclosure_texts: texts }] = data['numbers'] as [{ disclosure_texts: Loose }]
    expect(Object.values(texts)).toEqual(expect.arrayContaining([...sentences]))
  }, 60_000)

  for (const [language, words, waId] of [
    ['pl-PL', 'sztucznej', '15550720001'],
    ['pt-BR', 'Você', '15550720002'],
    ['pt-AO', 'Está a falar', '15550720003'],
    ['sr-Latn-RS', ENGLISH, '15550720004'],
  ] as const)
    test(`for ${language} is ${JSON.stringify(words)}`, async () => {
      expect(await told(waId, { language })).toContain(words)
    })

  test('is in the language of the customer’s country while no language is known', async () => {
    expect(await told('48501234567')).toContain(WORDS['pl'] ?? '?')
    expect(await told('4366412345678')).toContain('KI-Assistent')
    // A known language comes first, and a country with several languages says nothing.
    expect(await told('48501234568', { language: 'sv' })).toStartWith('Du chattar')
    expect(await told('32470123456')).toBe(ENGLISH)
    expect(await told('15550710099')).toBe(ENGLISH)
  })
})

test('a test of the settings shows the disclosure as a customer gets it, in the language of the question', async () => {
  await own.configure({
    ai_disclosure_text: {
      en: '{{ message.text | upcase }} is for an AI.',
      de: 'KI: {{ contact_name }}',
    },
  })
  const answerTo = async (message: string) =>
    (await own.admin.post('/api/chatbot/ai/test', { message })).data['answer']
  expect(await answerTo('Open?')).toBe('OPEN? is for an AI.\n\nYes.')
  expect(await answerTo('Wann habt ihr offen?')).toBe('KI: \n\nYes.')
})
