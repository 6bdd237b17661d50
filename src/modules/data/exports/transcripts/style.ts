import { createHash } from 'node:crypto'

/** Styles of a transcript for screen and print. */
export const STYLE = `
:root { color-scheme: light; --ink: #1b1f24; --soft: #59636e; --line: #d5dae0; --in: #f4f6f8; --out: #e6f4ea; --note: #fff7dc }
* { box-sizing: border-box }
body { margin: 0; background: #fff; color: var(--ink); font: 15px/1.45 system-ui, "Segoe UI", Roboto, "Noto Sans", "Noto Color Emoji", sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1.25rem 3rem }
header { padding-bottom: 1.25rem; border-bottom: 2px solid var(--ink) }
header p { margin: 0; color: var(--soft); font-size: 0.8rem; letter-spacing: 0.06em; text-transform: uppercase }
h1 { margin: 0.2rem 0 1rem; font-size: 1.7rem; line-height: 1.2; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1.25rem; margin: 0; font-size: 0.87rem }
dt { color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere }
h2 { margin: 1.75rem 0 0.75rem; color: var(--soft); font-size: 0.8rem; font-weight: 600; text-align: center; break-after: avoid }
article { width: fit-content; min-width: 9rem; max-width: 80%; margin: 0.5rem 0; padding: 0.5rem 0.75rem; border: 1px solid var(--line); border-radius: 0.6rem; background: var(--in); break-inside: avoid }
article.out { margin-left: auto; background: var(--out) }
article.note, article.system { max-width: 90%; margin-inline: auto; font-size: 0.9rem }
article.note { border-style: dashed; background: var(--note) }
article.system { background: #fff }
article > * { margin: 0 }
.who { font-size: 0.8rem; font-weight: 600 }
.kind { color: var(--soft); font-size: 0.8rem; font-weight: 600 }
.text { white-space: pre-wrap; overflow-wrap: anywhere }
blockquote { margin: 0.25rem 0; padding: 0.1rem 0.6rem; border-left: 3px solid #9aa5b1; color: var(--soft); font-size: 0.87rem; overflow-wrap: anywhere }
a { color: #0b57a4; overflow-wrap: anywhere }
.error { color: #a3221c; font-size: 0.87rem }
.meta { margin-top: 0.2rem; color: var(--soft); font-size: 0.75rem; text-align: right }
footer { margin-top: 2rem; padding-top: 0.75rem; border-top: 1px solid var(--line); color: var(--soft); font-size: 0.8rem; text-align: center }
@page { size: A4; margin: 16mm 15mm 18mm; @bottom-right { content: counter(page) " / " counter(pages); color: #59636e; font: 9pt system-ui, sans-serif } }
@media print {
  :root { print-color-adjust: exact; -webkit-print-color-adjust: exact }
  body { font-size: 10.5pt }
  main { max-width: none; padding: 0 }
  article a[href]::after { content: " (" attr(href) ")"; font-size: 0.8em }
}
`

/**
 * Content security policy of the page: allows only this style, links and printing; no scripts, no
 * requests.
 */
export const CONTENT_SECURITY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-modals`
