import type { KeyboardEvent, ReactNode } from 'react'

/** One entry that can be inserted instead of what was typed. */
export interface Suggestion {
  id: string
  title: string
  hint?: string
}

/** Entries that fit what was typed, and which of them Enter takes. */
export interface Suggestions {
  items: readonly Suggestion[]
  chosen: number
  choose: (index: number) => void
  pick: (id: string) => void
}

/** Handles arrows, Enter and Tab while entries are shown. Returns whether it did. */
export function onSuggestionKey(
  { items, chosen, choose, pick }: Suggestions,
  event: KeyboardEvent,
): boolean {
  const item = items[chosen]
  if (!item || event.nativeEvent.isComposing) return false
  if (event.key === 'Enter' || event.key === 'Tab') pick(item.id)
  else if (event.key === 'ArrowDown') choose((chosen + 1) % items.length)
  else if (event.key === 'ArrowUp') choose((chosen + items.length - 1) % items.length)
  else return false
  event.preventDefault()
  return true
}

interface Props extends Suggestions {
  label: string
}

/** The entries that fit, above the field. */
export function SuggestionList({ label, items, chosen, pick }: Props): ReactNode {
  if (items.length === 0) return null
  return (
    <ul className="canned" aria-label={label}>
      {items.map(({ id, title, hint }, index) => (
        <li key={id}>
          <button
            type="button"
            aria-current={index === chosen}
            onClick={() => {
              pick(id)
            }}
          >
            <b>
              <bdi>{title}</bdi>
            </b>
            {hint !== undefined && (
              <span className="muted small" dir="auto">
                {hint}
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  )
}
