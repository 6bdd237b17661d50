import { SETTINGS } from './environment'

/** Returns the table of settings for `src/docs/configure.md`, in Markdown. */
export function configTable(): string {
  const rows = SETTINGS.map(([name, facts]) => {
    const shown =
      facts.shown ??
      (facts.default === undefined
        ? 'unset'
        : facts.default === ''
          ? 'empty'
          : `\`${facts.default}\``)
    const words = facts.enum ? ` One of ${facts.enum.map((word) => `\`${word}\``).join(', ')}.` : ''
    const range = facts.type === 'integer' ? ` From ${facts.minimum} to ${facts.maximum}.` : ''
    return `| \`${name}\` | ${shown} | ${facts.description ?? ''}${words}${range}${facts.secret ? ' Secret.' : ''} |`
  })
  return ['| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n')
}
