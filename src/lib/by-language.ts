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
