import { VARIANTS_KEY } from '../../lib/variants'

/** A JSON object. */
type Json = Record<string, unknown>

const pascal = (word: string): string =>
  word.replaceAll(/(?:^|[_:])(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The name of a variant: a `MessageInput` that is an `image` is an `ImageMessageInput`. */
function nameOf(title: string, value: string): string {
  const noun = /[A-Z][a-z]*(?:Input)?$/.exec(title)?.[0] ?? ''
  return `${title.slice(0, title.length - noun.length)}${pascal(value)}${noun}`
}

/** Whether a schema has variants. */
export const hasVariants = (schema: Json): boolean => VARIANTS_KEY in schema

/**
 * Returns the schemas of a schema with variants, by name: the schema itself as a `oneOf`, each
 * variant, and the common part of all variants.
 */
export function expandVariants(title: string, schema: Json): Map<string, Json> {
  const { [VARIANTS_KEY]: variants, properties, required, description, examples } = schema
  const { by, of } = variants as { by: string; of: Record<string, Json> }
  const own = new Set(Object.values(of).flatMap((one) => Object.keys(one['properties'] as Json)))
  const common = Object.entries((properties ?? {}) as Json).filter(([name]) => !own.has(name))
  const base = `${title}Fields`
  const refs = Object.keys(of).map((value) => `#/components/schemas/${nameOf(title, value)}`)
  const named = new Map<string, Json>()
  named.set(title, {
    title,
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { examples }),
    oneOf: refs.map(($ref) => ({ $ref })),
    discriminator: {
      propertyName: by,
      mapping: Object.fromEntries(Object.keys(of).map((value, index) => [value, refs[index]])),
    },
  })
  for (const [value, one] of Object.entries(of)) {
    const name = nameOf(title, value)
    const { title: _title, ...shape } = one
    named.set(
      name,
      common.length === 0
        ? { title: name, ...shape }
        : { title: name, allOf: [{ $ref: `#/components/schemas/${base}` }, shape] },
    )
  }
  if (common.length > 0) named.set(base, baseOf(base, common, (required ?? []) as string[]))
  return named
}

const baseOf = (title: string, common: [string, unknown][], required: string[]): Json => {
  const needed = required.filter((name) => common.some(([known]) => known === name))
  return {
    title,
    type: 'object',
    properties: Object.fromEntries(common),
    ...(needed.length > 0 ? { required: needed } : {}),
  }
}
