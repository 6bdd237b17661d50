/** Hours and minutes with or without something between them, and the half of the day. */
const TIME_OF_DAY = /^(\d{1,2}?)\s*[:.h]?\s*(\d{2})?\s*(?:([ap])\.?\s?m?\.?|(ص)|(م))?$/

/** Reads a time of day that a person wrote, such as `9`, `930` or `6:30 pm`; `null` for none. */
export function readTimeOfDay(written: string): string | null {
  const text = written
    .trim()
    .toLowerCase()
    .replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
  const [, hours = '', minutes = '00', half, isMorning, isEvening] = TIME_OF_DAY.exec(text) ?? []
  const isLate = half === 'p' || isEvening !== undefined
  const isHalf = isLate || half === 'a' || isMorning !== undefined
  const hour = isHalf ? (Number(hours) % 12) + (isLate ? 12 : 0) : Number(hours) % 24
  const isTime = hours !== '' && Number(hours) <= (isHalf ? 12 : 24) && Number(minutes) < 60
  return isTime ? `${String(hour).padStart(2, '0')}:${minutes}` : null
}
