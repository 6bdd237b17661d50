import { AR } from './texts-ar'
import { DE } from './texts-de'
import { EN } from './texts-en'
import { ES } from './texts-es'
import { PT } from './texts-pt'
import type { TemplateTexts } from './text-types'

/** The texts by language. */
export const TEXTS = { en: EN, de: DE, es: ES, pt: PT, ar: AR } satisfies Record<
  string,
  TemplateTexts
>

/** A language that templates have texts in. */
export type TemplateLanguage = keyof typeof TEXTS
