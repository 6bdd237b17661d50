import { DAY_MS } from './clock'

/** From this distance on a weekday no longer says which day is meant. */
const SAME_WEEKDAY_MS = 6 * DAY_MS

/**
 * Returns a coming time as people say it in a language (BCP 47): `9:00 AM` today, `Monday 9:00 AM`
 * within six days, else with the date.
 */
export function openingTime(
  opensAtMs: number,
  { nowMs, timezone, language }: { nowMs: number; timezone: string; language: string },
): string {
  const day = new Intl.DateTimeFormat('en', { timeZone: timezone, dateStyle: 'short' })
  const isToday = day.format(opensAtMs) === day.format(nowMs)
  const isFar = opensAtMs - nowMs > SAME_WEEKDAY_MS
  return new Intl.DateTimeFormat(language, {
    timeZone: timezone,
    ...(isToday ? {} : { weekday: 'long' }),
    ...(isFar ? { day: 'numeric', month: 'long' } : {}),
    hour: 'numeric',
    minute: '2-digit',
  }).format(opensAtMs)
}
