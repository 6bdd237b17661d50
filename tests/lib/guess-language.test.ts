import { expect, test } from 'bun:test'

import { guessLanguage, languageOfTexts } from '../../src/lib/guess-language'

test.each([
  ['Wann habt ihr morgen offen?', 'de'],
  ['Guten Tag', 'de'],
  ['Where is my order?', 'en'],
  ['¿Cuánto cuesta?', 'es'],
  ['Buenos dias', 'es'],
  ['Bonjour', 'fr'],
  ['Où est ma commande ?', 'fr'],
  ['Terima kasih', 'id'],
  ['apakah ada yang bisa bantu saya', 'id'],
  ['Vorrei un tavolo per due', 'it'],
  ['Buongiorno', 'it'],
  ['Olá, vocês abrem hoje?', 'pt'],
  ['quando voces abrem', 'pt'],
  ['MERHABA', 'tr'],
  ['Siparişim nerede?', 'tr'],
  ['Está aberto hoje?', 'pt'],
  ['Hoy abierto', 'es'],
  ['siete aperti oggi', 'it'],
  ['BUGÜN açık mı', 'tr'],
  ['falar com atendente', 'pt'],
  ['TEMSİLCİYE bağla', 'tr'],
  ['bicara dengan petugas', 'id'],
  ['un operatore', 'it'],
  ['Conseillère', 'fr'],
  ['asesor', 'es'],
  ['Mitarbeiter?', 'de'],
  ['Hebben jullie dit ook in het blauw?', 'nl'],
  ['Dzień dobry', 'pl'],
  ['مرحبا', 'ar'],
  ['سلام، چطورید؟', 'fa'],
  ['नमस्ते', 'hi'],
  ['שלום', 'he'],
  ['こんにちは', 'ja'],
  ['你好', 'zh'],
  ['Когда вы открыты?', 'ru'],
  ['Коли ви відкриті?', 'uk'],
])('%p is %p', (text, language) => {
  expect(guessLanguage(text)).toBe(language)
})

test('letters alone tell, and accents on other words do not matter', () => {
  expect(guessLanguage('niño')).toBe('es')
  expect(guessLanguage('können möchte')).toBe('de')
})

test('what comes after a thousand characters is not looked at', () => {
  expect(guessLanguage(`${'x '.repeat(500)}Guten Tag, danke`)).toBeNull()
})

/** Two languages at once, as many letters of another script, and a word that is only repeated. */
const UNDECIDED = ['danke gracias', 'you ναι', 'ich ich ich']

test.each([
  '',
  'ok',
  'A-1001',
  '12',
  '👍',
  'Hi',
  'Pizza',
  'Марко',
  'ciao bella',
  'una',
  ...UNDECIDED,
])('%p tells nothing', (text) => {
  expect(guessLanguage(text)).toBeNull()
})

test('of texts is the newest that tells, or what all tell together', () => {
  expect(languageOfTexts(['A-1001', 'Guten Tag', 'Where is my order?'])).toBe('de')
  expect(languageOfTexts(['habt', 'ihr', '12'])).toBe('de')
  expect(languageOfTexts([])).toBeNull()
})
