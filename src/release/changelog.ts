/** The entries of a version in the changelog. */
export interface Section {
  /** YYYY-MM-DD. */
  date: string
  /** Its text below the heading. */
  text: string
}

/** The heading of a version with a date, which makes it a released one. */
const DATED = / - (\d{4}-\d{2}-\d{2})$/

/** Whether a changelog gives the date of a version: it is released, in clones without tags, too. */
export const isReleased = (changelog: string, version: string): boolean =>
  changelog.split('\n').some((line) => line.startsWith(`## [${version}]`) && DATED.test(line))

/**
 * Returns the section `## [VERSION] - YYYY-MM-DD` of a changelog. Throws when there is none, it has
 * no date, or nothing is in it.
 */
export function sectionOf(changelog: string, version: string): Section {
  const heading = `## [${version}]`
  const sections = changelog.split(/^(?=## \[)/m).filter((part) => part.startsWith(heading))
  const [section] = sections
  if (section === undefined || sections.length > 1)
    throw new Error(`the changelog needs one section ${heading}, and has ${sections.length}`)
  const [head = '', ...lines] = section.split('\n')
  const [, date = ''] = DATED.exec(head) ?? []
  if (Number.isNaN(Date.parse(date)))
    throw new Error(`the changelog needs the date of ${version}: ${heading} - YYYY-MM-DD`)
  const text = lines.join('\n').trim()
  if (!/^- /m.test(text)) throw new Error(`the changelog says nothing about ${version}`)
  return { date, text: `${text}\n` }
}
