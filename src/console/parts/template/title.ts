import type { Template } from '../../api/shapes'

type Named = Pick<Template, 'name' | 'display_name'>

/** Returns the technical name of a template as words. */
export function wordsOfName(name: string): string {
  const words = name.replaceAll('_', ' ').trim()
  return words === '' ? name : `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** Returns what people call a template: a name that WhatsApp gave it becomes words. */
export const titleOf = ({ name, display_name: title }: Named): string =>
  title === name ? wordsOfName(name) : title

/** Returns by which name programs know a template, or `null` if people call it the same. */
export const technicalNameOf = (template: Named): string | null =>
  titleOf(template) === template.name ? null : template.name
