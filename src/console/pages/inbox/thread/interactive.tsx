import type { Item } from '../../../api/shapes'
import { RichText } from '../../../parts/rich-text'

type Content = Extract<Item, { type: 'interactive' }>['content']

/** Returns a field of a content if it is a text. */
const textIn = (content: object, name: string): string | null => {
  const value: unknown = Reflect.get(content, name)
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return null
  const inner: unknown = Reflect.get(value, 'text')
  return typeof inner === 'string' ? inner : null
}

/** Returns the titles of the buttons of a content. */
function titlesIn(content: object): string[] {
  const buttons: unknown = Reflect.get(content, 'buttons')
  if (!Array.isArray(buttons)) return []
  return buttons.flatMap((button: unknown) => {
    if (typeof button !== 'object' || button === null) return []
    const title: unknown = Reflect.get(button, 'title') ?? Reflect.get(button, 'text')
    return typeof title === 'string' ? [title] : []
  })
}

/** A message with buttons, a list or a form, or what the customer chose in one. */
export function InteractiveContent({ content, preview }: { content: Content; preview: string }) {
  const header = textIn(content, 'header')
  const footer = textIn(content, 'footer')
  return (
    <>
      {header !== null && <b dir="auto">{header}</b>}
      <RichText text={textIn(content, 'body') ?? textIn(content, 'title') ?? preview} />
      {footer !== null && (
        <p className="muted small" dir="auto">
          {footer}
        </p>
      )}
      {titlesIn(content).map((title) => (
        <p key={title} className="message-button" dir="auto">
          {title}
        </p>
      ))}
    </>
  )
}
