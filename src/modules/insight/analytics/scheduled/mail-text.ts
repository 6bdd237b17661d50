import type { ReportMail } from './mail-html'
import type { SectionLine, Section } from './section'

const lineText = ({ label, value }: SectionLine): string => `${label}: ${value}`

const sectionText = ({ title, lines, bars }: Section): string =>
  [
    title.toUpperCase(),
    ...lines.map(lineText),
    ...(bars === null ? [] : ['', `${bars.title}:`, ...bars.lines.map(lineText)]),
  ].join('\n')

/** Returns an email as plain text. */
export const mailText = (mail: ReportMail): string =>
  [
    `${mail.title} of ${mail.organization}\n${mail.span}`,
    ...mail.sections.map(sectionText),
    `The tables are attached as CSV files. Open the reports:\n${mail.reportsUrl}`,
    `You get this email because somebody in ${mail.organization} scheduled it for you.\nUnsubscribe: ${mail.unsubscribeUrl}`,
  ].join('\n\n') + '\n'
