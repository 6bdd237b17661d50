import { Icon } from './icons'

const HUES = 8

/** Returns the class of one of a few hues for an ID or a name, always the same. */
export function hueOf(key: string): string {
  let sum = 0
  for (const one of key) sum = (sum * 31 + (one.codePointAt(0) ?? 0)) % 9_973
  return `hue-${sum % HUES}`
}

/** Returns up to two initials; a number has none. */
export function initialsOf(name: string): string {
  const words = name
    .trim()
    .split(/\s+/)
    .filter((word) => /^\p{L}/u.test(word))
  const picked = words.length > 1 ? [words[0], words.at(-1)] : words.slice(0, 1)
  return picked.map((word) => [...(word ?? '')][0]?.toUpperCase() ?? '').join('')
}

/**
 * The initials of a person in a circle. Decoration: the name stands beside it. The color comes from
 * the ID, so that two people with the same initials differ.
 */
export function Avatar({
  name,
  id = name ?? '',
  size = 'medium',
}: {
  name: string | null
  id?: string
  size?: 'small' | 'medium' | 'large'
}) {
  const initials = initialsOf(name ?? '')
  return (
    <span className={`avatar ${size} ${hueOf(id)}`} aria-hidden="true">
      {initials === '' ? <Icon name="contact" size={size === 'small' ? 14 : 20} /> : initials}
    </span>
  )
}
