const ENGLISH = 'en'

/** Returns a language tag and its shorter forms: `pt-BR` gives `pt-br` and `pt`. */
function formsOf(language: string): string[] {
  const parts = language.toLowerCase().replaceAll('_', '-').split('-')
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'))
}

/**
 * Returns the key of what is there in one of the languages (BCP 47, the best first; `null` is an
 * unknown one), else that of English. Keys are language tags in lower case.
 */
export const languageAmong = (
  texts: Readonly<Record<string, unknown>>,
  languages: readonly (string | null)[],
): string =>
  languages
    .flatMap((language) => (language === null ? [] : formsOf(language)))
    .find((tag) => texts[tag] !== undefined) ?? ENGLISH

/** Languages of the countries of the European Union that have one of their own. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ...{ AT: 'de', BG: 'bg', CY: 'el', CZ: 'cs', DE: 'de', DK: 'da', EE: 'et', ES: 'es', FI: 'fi' },
  ...{ FR: 'fr', GR: 'el', HR: 'hr', HU: 'hu', IT: 'it', LT: 'lt', LV: 'lv', NL: 'nl', PL: 'pl' },
  ...{ PT: 'pt', RO: 'ro', SE: 'sv', SI: 'sl', SK: 'sk' },
}

/** Returns the language of a country (ISO 3166-1) if it tells the language of its people. */
export const languageOfCountry = (country: string | null): string | null =>
  LANGUAGES[country ?? ''] ?? null
