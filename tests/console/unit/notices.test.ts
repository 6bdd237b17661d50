import { IntlMessageFormat } from 'intl-messageformat'
import { afterAll, beforeAll, expect, test } from 'bun:test'

import { loadNoticeWords, noticeWords } from '../../../src/console/app/notice-words'
import { setLanguage } from '../../../src/console/texts/texts'
import ar from '../../../src/console/texts/ar/notices.json'
import de from '../../../src/console/texts/de/notices.json'
import en from '../../../src/console/texts/en/notices.json'
import es from '../../../src/console/texts/es/notices.json'
import pt from '../../../src/console/texts/pt/notices.json'
import api from '../../contract/openapi.json'

beforeAll(() => Object.assign(globalThis, { document: { documentElement: {} } }))
afterAll(async () => {
  await setLanguage('en')
  Reflect.deleteProperty(globalThis, 'document')
})

const known: Record<string, Record<string, string>> = { en, de, es, pt, ar }
const { enum: codes } = api.components.schemas.NotificationWords.properties.code

test.each(Object.keys(known))('every text of a notification can be said in %s', (language) => {
  const texts = known[language] ?? {}
  expect(Object.keys(texts)).toEqual(Object.keys(en))
  expect(codes.filter((code) => texts[`notice.${code}.title`] === undefined)).toEqual([])
  for (const text of Object.values(texts)) new IntlMessageFormat(text, language)
})

const said = (code: string, values: Record<string, string | number>) =>
  noticeWords({ title: 'English', body: 'English.', text: { code, values } as never })

test('a notification is said in the language of the person, with codes in plain words', async () => {
  await setLanguage('de')
  await loadNoticeWords()
  expect(said('template_rejected', { about: 'offer (en)', reason: 'INVALID_FORMAT' })).toEqual({
    title: 'Vorlage abgelehnt: offer (en)',
    body:
      'WhatsApp hat diese Vorlage nicht genehmigt. Ändere sie und reiche sie noch einmal ein. ' +
      'Grund: Variablen, Beispiele oder Formatierung sind nicht so, wie WhatsApp sie verlangt.',
  })
  expect(said('sla_warning', { minutes: 5, place: 'queue' }).body).toBe(
    'Seit 5 Minuten hat niemand geantwortet. Sie wartet in der Warteschlange.',
  )
  expect(said('unheard_of', {}).title).toBe('English')
  expect(noticeWords({ title: 'Old', body: 'Old.', text: null }).title).toBe('Old')
})
