import { logoHtml } from '../../../../infra/mail/html'
import type { MailLogo } from '../../../../infra/mail/link-mail'
import type { BarLine, SectionLine, Section } from './section'

/** An email to one person. */
export interface ReportMail {
  /** “Weekly report” or “Monthly report”. */
  title: string
  organization: string
  logo: MailLogo | null
  span: string
  sections: readonly Section[]
  /** Where the reports are shown, and where the person takes themselves off. */
  reportsUrl: string
  unsubscribeUrl: string
}

/**
 * Mail programs ignore much of HTML and CSS. These emails use tables, colors of cells and styles on
 * the elements only; programs that know the style sheet show dark colors where people use them.
 */
const DARK = `@media (prefers-color-scheme: dark) {
.page { background-color: #14171a !important }
.card { background-color: #1d2125 !important }
.text { color: #e9ecef !important }
.muted { color: #a7b0b8 !important }
.line { border-color: #363d44 !important }
.bar { background-color: #5c93f5 !important }
.rest { background-color: #2a3037 !important }
.link { color: #8ab4f8 !important }
}`

const FONT = "font-family:'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const TEXT = `${FONT};font-size:15px;line-height:22px;color:#1f2328`
const MUTED = `${FONT};font-size:13px;line-height:20px;color:#59636e`
const LINE = 'border-bottom:1px solid #dde2e7'

const escape = (text: string): string => Bun.escapeHTML(text)

/** Opens a table that is only layout. */
const LAYOUT = '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"'

/** Returns an email as HTML. */
export const mailHtml = (mail: ReportMail): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escape(mail.title)}</title>
<style>
${DARK}
</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#f2f4f7">
${LAYOUT} class="page" bgcolor="#f2f4f7" style="background-color:#f2f4f7"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="600" cellpadding="0" cellspacing="0" border="0" bgcolor="#ffffff" style="width:100%;max-width:600px;background-color:#ffffff">
<tr><td style="padding:28px 28px 4px 28px">
${mail.logo === null ? '' : `${logoHtml(mail.logo)}\n`}<h1 class="text" style="margin:0;${FONT};font-size:24px;line-height:30px;color:#1f2328">${escape(mail.title)}</h1>
<p class="muted" style="margin:6px 0 0 0;${MUTED}">${escape(mail.organization)} · ${escape(mail.span)}</p>
</td></tr>
${mail.sections.map(sectionHtml).join('\n')}
<tr><td style="padding:24px 28px 28px 28px">
<p class="muted" style="margin:0 0 8px 0;${MUTED}">The tables are attached as CSV files. <a class="link" href="${escape(mail.reportsUrl)}" style="color:#0b57d0">Open the reports</a></p>
<p class="muted" style="margin:0;${MUTED}">You get this email because somebody in ${escape(mail.organization)} scheduled it for you. <a class="link" href="${escape(mail.unsubscribeUrl)}" style="color:#0b57d0">Unsubscribe</a></p>
</td></tr>
</table>
</td></tr></table>
</body>
</html>
`

const sectionHtml = ({ title, lines, bars }: Section): string =>
  `<tr><td style="padding:24px 28px 0 28px">
<h2 class="text" style="margin:0 0 8px 0;${FONT};font-size:18px;line-height:24px;color:#1f2328">${escape(title)}</h2>
<table width="100%" cellpadding="0" cellspacing="0" border="0">
${lines.map(lineHtml).join('\n')}
</table>${bars === null ? '' : barsHtml(bars)}
</td></tr>`

const lineHtml = ({ label, value }: SectionLine): string =>
  `<tr><th scope="row" align="left" class="muted line" style="${MUTED};${LINE};font-weight:normal;padding:6px 12px 6px 0">${escape(label)}</th>` +
  `<td align="right" class="text line" style="${TEXT};${LINE};padding:6px 0">${escape(value)}</td></tr>`

const barsHtml = ({ title, lines }: NonNullable<Section['bars']>): string => `
<h3 class="text" style="margin:18px 0 6px 0;${FONT};font-size:15px;line-height:22px;color:#1f2328">${escape(title)}</h3>
<table width="100%" cellpadding="0" cellspacing="0" border="0">
${lines.map(barHtml).join('\n')}
</table>`

const barHtml = ({ label, value, share }: BarLine): string =>
  `<tr><th scope="row" align="left" width="30%" class="muted" style="${MUTED};font-weight:normal;padding:3px 12px 3px 0">${escape(label)}</th>` +
  `<td width="48%" style="padding:3px 0">${LAYOUT}><tr>${cellsHtml(share === 0 ? 0 : Math.max(1, Math.round(share * 100)))}</tr></table></td>` +
  `<td width="22%" align="right" class="text" style="${TEXT};font-size:13px;padding:3px 0 3px 12px">${escape(value)}</td></tr>`

/** The bar itself: a colored cell, and one for the rest of its length. */
const cellsHtml = (percent: number): string =>
  [
    { name: 'bar', color: '#2f6feb', width: percent },
    { name: 'rest', color: '#e8edf3', width: 100 - percent },
  ]
    .filter(({ width }) => width > 0)
    .map(
      ({ name, color, width }) =>
        `<td class="${name}" width="${width}%" height="12" bgcolor="${color}" style="background-color:${color};height:12px;font-size:0;line-height:0">&nbsp;</td>`,
    )
    .join('')
