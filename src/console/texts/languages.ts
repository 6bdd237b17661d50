/** The languages of the console, by their own names. */
export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  pt: 'Português',
  ar: 'العربية',
} as const
/** A language of the console. */
export type Language = keyof typeof LANGUAGES

const RIGHT_TO_LEFT = new Set<Language>(['ar'])

/** Returns the direction that a language is written in. */
export const directionOf = (language: Language): 'ltr' | 'rtl' =>
  RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr'

/** Whether a text names a language of the console. */
const isLanguage = (text: string): text is Language => text in LANGUAGES

/** Returns the first of some languages that the console has, otherwise that of the browser. */
export function languageFor(...wanted: (string | null | undefined)[]): Language {
  for (const one of wanted) {
    const [word = ''] = (one ?? '').toLowerCase().split('-')
    if (isLanguage(word)) return word
  }
  return browserLanguage()
}

/** Returns the first language of the browser that the console has, otherwise English. */
function browserLanguage(): Language {
  for (const one of navigator.languages) {
    const [word = ''] = one.toLowerCase().split('-')
    if (isLanguage(word)) return word
  }
  return 'en'
}
