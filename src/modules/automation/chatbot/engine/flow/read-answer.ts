import { localDateOf } from '../../../../../lib/local-day'
import { parsePhone, type CountryCode } from '../../../../../lib/phone'
import { readDate } from '../../../../../lib/typed-date'
import { readNumber } from '../../../../../lib/typed-number'
import { withPlainDigits } from '../../../../../lib/typed-text'
import type { NodeConfig } from '../../bot-flows/node-config'
import type { LiquidTemplates } from '../../../../../infra/liquid/liquid'
import type { Turn } from '../model'

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}\.[^\s@.]{2,63}$/

/** What decides how an answer is read. */
interface Reading {
  liquid: Pick<LiquidTemplates, 'matches'>
  country: string | null
  timezone: string
  nowMs: () => number
}

/** Returns the answer to a question, or `null` if the turn does not answer it. */
export function readAnswer(
  config: NodeConfig<'prompt'>,
  turn: Turn,
  { liquid, country, timezone, nowMs }: Reading,
): { value: unknown } | null {
  const text = writtenText(config.input, turn)
  const today = localDateOf(nowMs(), timezone)
  const answer = valueOf(config.input, { turn, text, country, today })
  if (answer === null || !isWithin(config, answer.value, today)) return null
  const pattern = config.validation_regex
  return pattern == null || liquid.matches(pattern, text) ? answer : null
}

/** Whether a number, the length of a text or a date is within the bounds of its question. */
function isWithin(
  { input, min, max }: NodeConfig<'prompt'>,
  value: unknown,
  today: string,
): boolean {
  const measured = input === 'text' ? [...String(value)].length : (value as number | string)
  const read = (bound: number | string): number | string => (bound === 'today' ? today : bound)
  return (min == null || measured >= read(min)) && (max == null || measured <= read(max))
}

/** Inputs that people write with the digits of their own script. */
const OF_DIGITS: ReadonlySet<string> = new Set(['number', 'phone', 'date'])

function writtenText(input: NodeConfig<'prompt'>['input'], turn: Turn): string {
  const text = turn.text?.trim() ?? ''
  return OF_DIGITS.has(input) ? withPlainDigits(text).trim() : text
}

function valueOf(
  input: NodeConfig<'prompt'>['input'],
  {
    turn,
    text,
    country,
    today,
  }: { turn: Turn; text: string; country: string | null; today: string },
): { value: unknown } | null {
  switch (input) {
    case 'any': {
      const { text: written, form, location, media, contacts, order } = turn
      const value = written ?? form?.data ?? location ?? media ?? contacts ?? order
      return value === null ? null : { value }
    }
    case 'text':
      return text === '' ? null : { value: text }
    case 'number': {
      const number = readNumber(text)
      return number === null ? null : { value: number }
    }
    case 'email':
      return EMAIL.test(text) ? { value: text.toLowerCase() } : null
    case 'phone': {
      const digits = parsePhone(text, (country ?? undefined) as CountryCode | undefined)
      return digits === null ? null : { value: digits }
    }
    case 'date': {
      const date = readDate(text, today)
      return date === null ? null : { value: date }
    }
    case 'media':
      return turn.media && { value: turn.media }
    case 'location':
      return turn.location && { value: turn.location }
  }
}
