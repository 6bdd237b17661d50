import type { Budget } from './budget'

/** A text that a filter has made ready for one place, where it is not escaped again. */
export class ReadyText {
  constructor(
    readonly text: string,
    readonly place: 'json' | 'url',
  ) {}
}

/** Levels of lists and objects that are written as text. Deeper ones are JSON. */
const MAX_DEPTH = 4

/**
 * Returns a value as people read it: nothing for nil, the elements of a list with commas, a place by
 * its address, a file by its name, a contact by its name and numbers, any other object as
 * `name: value`.
 */
export function textOf(value: unknown, budget: Budget, depth = 0): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : ''
  if (typeof value === 'boolean') return String(value)
  if (value instanceof ReadyText) return value.text
  if (typeof value !== 'object' || value === null) return ''
  if (depth >= MAX_DEPTH) return jsonOf(value, budget)
  const parts = Array.isArray(value) ? (value as unknown[]) : partsOf(value as JsonObject)
  budget.list(parts.length)
  const texts = parts.map((part) =>
    part instanceof Named ? named(part, budget, depth) : textOf(part, budget, depth + 1),
  )
  const text = texts.filter((part) => part !== '').join(', ')
  budget.text(text.length)
  return text
}

type JsonObject = Record<string, unknown>

/** A value that is written after its name. */
class Named {
  constructor(
    readonly name: string,
    readonly value: unknown,
  ) {}
}

function named({ name, value }: Named, budget: Budget, depth: number): string {
  const text = textOf(value, budget, depth + 1)
  return text === '' ? '' : `${name}: ${text}`
}

/** Returns what is written of an object. */
function partsOf(object: JsonObject): unknown[] {
  const own = (name: string): unknown => (Object.hasOwn(object, name) ? object[name] : undefined)
  const [latitude, longitude] = [own('latitude'), own('longitude')]
  if (typeof latitude === 'number' && typeof longitude === 'number') {
    const words = [own('name'), own('address')].filter((word) => typeof word === 'string')
    return words.length > 0 ? words : [latitude, longitude]
  }
  if (own('mediaId') !== undefined) return [own('filename') ?? own('type')]
  const name = own('name')
  if (typeof name === 'object' && name !== null && Object.hasOwn(name, 'formatted_name'))
    return [(name as JsonObject)['formatted_name'], ...phonesOf(own('phones'))]
  return Object.entries(object).map(([key, value]) => new Named(key, value))
}

const phonesOf = (phones: unknown): unknown[] =>
  Array.isArray(phones)
    ? phones.map((each: unknown) =>
        typeof each === 'object' && each !== null && Object.hasOwn(each, 'phone')
          ? (each as JsonObject)['phone']
          : null,
      )
    : []

/** Returns a value as JSON. */
export function jsonOf(value: unknown, budget: Budget): string {
  const text = JSON.stringify(value instanceof ReadyText ? value.text : (value ?? null))
  budget.text(text.length)
  return text
}

const NUMBER = /^[+-]?\d{1,15}(?:[.,]\d{1,15})?$/

/** Returns a value as a number; `null` if it is none. A comma is accepted for the decimal point. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value
  const text = value instanceof ReadyText ? value.text : value
  if (typeof text !== 'string' || text.length > 40) return null
  const trimmed = text.trim()
  return NUMBER.test(trimmed) ? Number(trimmed.replace(',', '.')) : null
}
