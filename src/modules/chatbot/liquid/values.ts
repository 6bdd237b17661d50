import type { Budget } from './budget'

/** A text that a filter has made ready for one place, where it is not escaped again. */
export class ReadyText {
  constructor(
    readonly text: string,
    readonly place: 'json' | 'url',
  ) {}
}

/** Returns a value as text: nothing for nil, lists joined, objects as JSON. */
export function textOf(value: unknown, budget: Budget): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : ''
  if (typeof value === 'boolean') return String(value)
  if (value instanceof ReadyText) return value.text
  if (typeof value !== 'object' || value === null) return ''
  if (!Array.isArray(value)) return jsonOf(value, budget)
  budget.list(value.length)
  const text = value
    .map((element) => (Array.isArray(element) ? jsonOf(element, budget) : textOf(element, budget)))
    .join('')
  budget.text(text.length)
  return text
}

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
