import { IntlMessageFormat } from 'intl-messageformat'

import { en } from './en'
import type { late } from './en-late'
import { directionOf, type Language } from './languages'

/** The name of a text: page, part, word. */
export type TextKey = keyof typeof en | keyof typeof late
/** Values of the placeholders of a text. */
export type TextValues = Record<string, string | number>

const LOADERS: Record<Exclude<Language, 'en'>, () => Promise<{ texts: Record<string, string> }>> = {
  de: () => import('./de'),
  es: () => import('./es'),
  pt: () => import('./pt'),
  ar: () => import('./ar'),
}

/** The texts of notifications, which nobody needs before there is one. */
const NOTICES: Record<Language, () => Promise<{ default: Record<string, string> }>> = {
  en: () => import('./en/notices.json'),
  de: () => import('./de/notices.json'),
  es: () => import('./es/notices.json'),
  pt: () => import('./pt/notices.json'),
  ar: () => import('./ar/notices.json'),
}

let language: Language = 'en'
/** Which of the English texts are loaded. */
let english: Record<string, string> = en
let texts = english
const compiled = new Map<string, IntlMessageFormat>()
const listeners = new Set<() => void>()

/** Returns the language of the texts. */
export const currentLanguage = (): Language => language

/** Calls `listener` after every change of the language. Returns a function that stops it. */
export const onLanguage = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Loads the English texts that the first pages do not show. */
export async function loadLateTexts(): Promise<void> {
  if (english !== en) return
  const { late } = await import('./en-late')
  english = { ...en, ...late }
  if (language === 'en') texts = english
}

const notices: Partial<Record<Language, Record<string, string>>> = {}

/** Loads what notifications say in the present language. */
export async function loadNotices(): Promise<void> {
  const wanted = language
  notices[wanted] ??= (await NOTICES[wanted]()).default
}

/** Returns the text of a notification, or `null` if there is none, or none yet. */
export function noticeText(key: string, values: TextValues): string | null {
  const text = notices[language]?.[key]
  return text === undefined ? null : formatted(key, text, values)
}

/** Loads the texts of a language and shows the page in it. */
export async function setLanguage(next: Language): Promise<void> {
  const loaded = next === 'en' ? english : (await LOADERS[next]()).texts
  if (next === language) return
  language = next
  texts = loaded
  compiled.clear()
  document.documentElement.lang = next
  document.documentElement.dir = directionOf(next)
  for (const listener of listeners) listener()
}

/** Keeps a value from changing the direction of the text around it. */
const isolated = (value: string | number): string | number =>
  typeof value === 'string' && directionOf(language) === 'rtl' ? `\u2068${value}\u2069` : value

/** Returns a text in the current language. */
export function t(key: TextKey, values?: TextValues): string {
  const text = texts[key] ?? english[key] ?? key
  return values ? formatted(key, text, values) : text
}

function formatted(key: string, text: string, values: TextValues): string {
  const known = compiled.get(key) ?? new IntlMessageFormat(text, language)
  compiled.set(key, known)
  const shown = Object.entries(values).map(([name, value]) => [name, isolated(value)] as const)
  return String(known.format(Object.fromEntries(shown)))
}

/** Marks of direction, which a name that is stored does not have. */
const MARKS = /[\u061C\u200E\u200F\u2066-\u2069]/gu

/** Returns a text that is stored as a name, such as that of a copy. */
export const nameText = (key: TextKey, values: TextValues): string =>
  t(key, values).replaceAll(MARKS, '')

/** Returns the text of a name that was put together at run time, or `null` if there is none. */
export const findText = (key: string): string | null => texts[key] ?? null
