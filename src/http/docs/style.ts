/** The style of the documentation: light and dark, desk and phone, and paper. */
export const SITE_STYLE = `:root {
  color-scheme: light dark;
  --bg: light-dark(#ffffff, #111517);
  --panel: light-dark(#f6f8f7, #171d20);
  --soft: light-dark(#eef2f0, #20272b);
  --line: light-dark(#dde3e1, #2b3438);
  --text: light-dark(#15201d, #e6ecea);
  --muted: light-dark(#53615c, #a3b0ad);
  --accent: light-dark(#0a6f54, #45cfa3);
  --chosen: light-dark(#e0f0ea, #1d322c);
  font: 1rem/1.65 system-ui, -apple-system, 'Segoe UI', sans-serif;
}
*, ::before, ::after { box-sizing: border-box }
html { scroll-padding-top: 4.5rem }
body { margin: 0; background: var(--bg); color: var(--text) }
[hidden] { display: none !important }
a { color: var(--accent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.skip { position: absolute; left: -99rem }
.skip:focus { left: 1rem; top: 0.5rem; z-index: 9; background: var(--bg); padding: 0.5rem 1rem }
header { position: sticky; top: 0; z-index: 5; display: flex; gap: 0.75rem; align-items: center; height: 3.5rem; padding: 0 1.25rem; background: var(--bg); border-bottom: 1px solid var(--line) }
.brand { font-weight: 700; color: var(--text); text-decoration: none; margin-right: auto }
.brand span { font-weight: 400; color: var(--muted); margin-left: 0.4rem }
.find { font: inherit; display: flex; gap: 1.5rem; justify-content: space-between; min-width: 13rem; min-height: 2.25rem; align-items: center; padding: 0 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--panel); color: var(--muted); cursor: pointer }
kbd { font: 0.8rem ui-monospace, Menlo, Consolas, monospace; border: 1px solid var(--line); border-radius: 0.25rem; padding: 0 0.35rem; background: var(--bg) }
.menu, .pages .menu { display: none }
.frame { display: grid; grid-template-columns: 17rem minmax(0, 1fr) 15rem; max-width: 96rem; margin: 0 auto }
.pages, .contents { position: sticky; top: 3.5rem; height: calc(100vh - 3.5rem); overflow-y: auto; padding: 1.25rem; font-size: 0.92rem; line-height: 1.45 }
.pages { border-right: 1px solid var(--line) }
.pages h2, .contents h2 { font-size: 0.8rem; margin: 1.25rem 0 0.4rem; padding: 0 0.6rem; color: var(--muted); font-weight: 600; border: 0 }
.pages h2:first-of-type, .contents h2 { margin-top: 0 }
.pages ul, .contents ul { list-style: none; margin: 0; padding: 0 }
.pages a, .contents a { display: block; padding: 0.3rem 0.6rem; border-radius: 0.4rem; color: inherit; text-decoration: none }
.pages a:hover, .contents a:hover { background: var(--soft) }
.pages a[aria-current] { background: var(--chosen); color: var(--accent); font-weight: 600 }
.contents a { color: var(--muted); border-radius: 0; padding: 0.2rem 0.6rem; border-left: 2px solid var(--line) }
.contents .level3 a { padding-left: 1.4rem }
.contents code { font-size: 0.85em }
main { padding: 2rem 2.5rem 4rem; min-width: 0; scroll-margin-top: 4rem }
article { max-width: 50rem; margin: 0 auto; overflow-wrap: break-word }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 1rem; letter-spacing: -0.01em }
h2 { font-size: 1.4rem; line-height: 1.3; margin: 2.75rem 0 0.75rem; padding-top: 0.25rem; border-top: 1px solid var(--line) }
h3 { font-size: 1.1rem; margin: 2rem 0 0.5rem }
article img { display: block; max-width: 100%; max-height: 36rem; height: auto; margin: 1.25rem 0; border: 1px solid var(--line); border-radius: 0.6rem }
ul, ol { padding-left: 1.5rem }
li { margin: 0.4rem 0 }
li > p { margin: 0.5rem 0 }
code { font: 0.875em/1.55 ui-monospace, 'Cascadia Code', Menlo, Consolas, monospace; background: var(--soft); border-radius: 0.3rem; padding: 0.1em 0.32em }
a code { color: inherit }
.code { position: relative; margin: 1rem 0 }
pre { margin: 0; background: var(--panel); border: 1px solid var(--line); border-radius: 0.6rem; padding: 0.9rem 1.1rem; overflow-x: auto }
pre code { background: none; padding: 0 }
.copy { position: absolute; top: 0.5rem; right: 0.5rem; font: 0.8rem system-ui, sans-serif; min-height: 1.75rem; padding: 0 0.6rem; border: 1px solid var(--line); border-radius: 0.4rem; background: var(--bg); color: var(--muted); cursor: pointer }
.copy:hover { color: var(--text) }
.wide { overflow-x: auto; margin: 1rem 0 }
table { border-collapse: collapse; min-width: 100%; font-size: 0.94rem; line-height: 1.5 }
th, td { text-align: left; vertical-align: top; padding: 0.5rem 0.9rem 0.5rem 0; border-bottom: 1px solid var(--line) }
th { color: var(--muted); font-size: 0.85rem; white-space: nowrap }
td { min-width: 6rem }
td:first-child code { white-space: nowrap }
.fields td:first-child code { white-space: normal }
tr:target { background: var(--chosen) }
blockquote { margin: 1rem 0; padding: 0.1rem 1.1rem; border-left: 3px solid var(--accent); background: var(--panel) }
.neighbors { display: flex; justify-content: space-between; gap: 1rem; max-width: 50rem; margin: 3rem auto 0; padding-top: 1.25rem; border-top: 1px solid var(--line) }
.neighbors a { text-decoration: none; font-weight: 600; padding: 0.4rem 0 }
.neighbors a:last-child { text-align: right }
.neighbors small { display: block; color: var(--muted); font-weight: 400 }
.cards { list-style: none; padding: 0; display: grid; gap: 0.75rem; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)) }
.cards li { margin: 0; padding: 0.9rem 1rem; border: 1px solid var(--line); border-radius: 0.6rem; background: var(--panel) }
.cards a { font-weight: 600 }
.cards p { margin: 0.25rem 0 0; color: var(--muted); font-size: 0.9rem; line-height: 1.45 }
.crumbs { margin: 0 0 0.5rem; font-size: 0.9rem; color: var(--muted) }
.verb { font: 600 0.8rem ui-monospace, Menlo, Consolas, monospace; color: light-dark(#4a5551, #b6c2be) }
.verb.get { color: light-dark(#0b57b0, #8fbcff) }
.verb.post { color: light-dark(#146c2e, #7dd491) }
.verb.put { color: light-dark(#7f4d00, #f2b866) }
.verb.delete { color: light-dark(#a8231b, #ff9a90) }
.call { display: flex; flex-wrap: wrap; gap: 0.6rem; align-items: center }
.try { margin-left: auto; padding: 0.3rem 0.9rem; border: 1px solid var(--accent); border-radius: 0.5rem; text-decoration: none }
.required { font-size: 0.78rem; font-weight: 600; color: light-dark(#8a3b00, #f2b866) }
details { border: 1px solid var(--line); border-radius: 0.5rem; margin: 0.5rem 0; padding: 0 1rem }
summary { cursor: pointer; padding: 0.55rem 0; font-weight: 600 }
.filter { position: sticky; top: 3.5rem; z-index: 2; display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; padding: 0.75rem 0; background: var(--bg) }
.filter input, dialog input { flex: 1; min-width: 12rem; font: inherit; padding: 0.55rem 0.8rem; border: 1px solid var(--muted); border-radius: 0.5rem; background: var(--bg); color: inherit }
.filter output { color: var(--muted); font-size: 0.9rem }
.operations { list-style: none; margin: 0; padding: 0 }
.operations li { margin: 0; border-top: 1px solid var(--line) }
article > section:has(.operations) { content-visibility: auto; contain-intrinsic-size: auto 40rem }
.operations a { display: grid; grid-template-columns: 4rem minmax(0, 3fr) minmax(0, 2fr); gap: 0 0.75rem; padding: 0.4rem 0.25rem; align-items: baseline; color: inherit; text-decoration: none }
.operations a:hover, .operations a:focus { background: var(--soft) }
.operations code { background: none; padding: 0 }
dialog { width: min(42rem, calc(100vw - 2rem)); max-height: 80vh; margin: 8vh auto auto; padding: 0; border: 1px solid var(--line); border-radius: 0.75rem; background: var(--bg); color: var(--text); box-shadow: 0 1rem 3rem #0006 }
dialog::backdrop { background: #0007 }
dialog form { display: flex; gap: 0.75rem; padding: 1rem; border-bottom: 1px solid var(--line); position: sticky; top: 0; background: var(--bg) }
dialog button { font: inherit; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--panel); color: inherit; padding: 0 0.9rem; cursor: pointer }
.results { list-style: none; margin: 0; padding: 0.5rem }
.results li { margin: 0; border-radius: 0.5rem; padding: 0.5rem 0.75rem; overflow-wrap: anywhere; cursor: pointer }
.results li[aria-selected='true'] { background: var(--chosen) }
.results b { display: block }
.results small { color: var(--muted) }
.said { margin: 0; padding: 0.75rem 1.25rem; color: var(--muted) }
.hljs-comment, .hljs-quote { color: light-dark(#5b6a65, #94a39e) }
.hljs-keyword, .hljs-built_in, .hljs-literal, .hljs-section { color: light-dark(#7a2f9c, #d3a4f0) }
.hljs-string, .hljs-regexp, .hljs-addition { color: light-dark(#0a6b3d, #7fd6a4) }
.hljs-number, .hljs-symbol { color: light-dark(#9a4a00, #f2b866) }
.hljs-attr, .hljs-attribute, .hljs-variable, .hljs-template-variable, .hljs-params { color: light-dark(#0b57b0, #8fbcff) }
.hljs-title, .hljs-type, .hljs-name { color: light-dark(#8a3b00, #f0b58a) }
@media (width < 76rem) { .frame { grid-template-columns: 16rem minmax(0, 1fr) } .contents { display: none } }
@media (width < 52rem) {
  .frame { display: block }
  header .menu { display: block; padding: 0.4rem 0 }
  .brand span { display: none }
  .find { min-width: 0 } .find kbd { display: none }
  main { padding: 1.5rem 1.1rem 3rem }
  h1 { font-size: 1.7rem }
  .pages { display: none }
  .pages:target { display: block; position: fixed; inset: 0; z-index: 6; height: auto; background: var(--bg); border: 0; font-size: 1rem }
  .pages:target .menu { display: inline-block; margin-bottom: 1rem; border: 1px solid var(--line) }
  .operations a { grid-template-columns: 4rem 1fr } .operations span { grid-column: 2; color: var(--muted) }
}
@media print {
  header, .pages, .contents, .neighbors, .copy, .skip, .try, .filter { display: none !important }
  .frame { display: block } main { padding: 0 } article { max-width: none }
  pre { white-space: pre-wrap; overflow-wrap: anywhere } a { color: inherit }
  h2, h3 { break-after: avoid } tr, pre { break-inside: avoid }
}
`
