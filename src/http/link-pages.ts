import { Elysia } from 'elysia'

import { guard } from './guard'
import type { Http } from './http-deps'
import { languageOf, LINK_TEXTS, type Language } from './link-texts'

/**
 * Allows only this server's own script and style, and no form submission without the script, so
 * that a password never gets into a URL.
 */
const CONTENT_SECURITY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'none'; frame-ancestors 'none'; object-src 'none'; base-uri 'none'"

interface Parts {
  title: string
  script: string
  form: string
}

const pageOf = (language: Language, { title, script, form }: Parts): string => `<!doctype html>
<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <title>${title}</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="link-pages/style.css" />
    <script src="link-pages/link.js?language=${language}" defer></script>
    <script src="${script}" defer></script>
  </head>
  <body>
    <main>
      <img id="logo" alt="" hidden />
      <h1>${title}</h1>
      <noscript><p>${LINK_TEXTS[language].noscript}</p></noscript>
      <p id="said" role="status"></p>
      <p id="trouble" role="alert"></p>
      <p id="next" hidden><a href="login">${LINK_TEXTS[language].signIn}</a></p>
      <form id="form" method="post" hidden>
${form}
      </form>
    </main>
  </body>
</html>
`

// No `maxlength`: browsers count other units than the server and cut off longer text unnoticed. The
// server reports what is too long.
const resetPage = (language: Language): string => {
  const t = LINK_TEXTS[language]
  return pageOf(language, {
    title: t.resetTitle,
    script: 'link-pages/reset-password.js',
    form: `        <label for="password">${t.newPassword}</label>
        <input id="password" type="password" autocomplete="new-password" required minlength="8" maxlength="1024" aria-describedby="rule" />
        <p id="rule">${t.rule}</p>
        <label for="repeated">${t.repeat}</label>
        <input id="repeated" type="password" autocomplete="new-password" required minlength="8" maxlength="1024" />
        <button id="send" type="submit">${t.save}</button>`,
  })
}

const joinPage = (language: Language): string => {
  const t = LINK_TEXTS[language]
  return pageOf(language, {
    title: t.joinTitle,
    script: 'link-pages/join.js',
    form: `        <label for="email">${t.email}</label>
        <input id="email" type="email" autocomplete="username" required maxlength="254" />
        <label for="name">${t.name}</label>
        <input id="name" type="text" autocomplete="name" required maxlength="1024" />
        <label for="password">${t.password}</label>
        <input id="password" type="password" autocomplete="current-password" required minlength="8" maxlength="1024" aria-describedby="rule" />
        <p id="rule">${t.ruleOfJoin}</p>
        <div id="second" hidden>
          <label for="code">${t.code}</label>
          <input id="code" type="text" autocomplete="one-time-code" maxlength="64" />
        </div>
        <button id="send" type="submit">${t.join}</button>`,
  })
}

/**
 * Shared by both pages: the token behind `#` reaches no server and no log until the form posts it.
 */
const linkScript = (language: Language): string => `'use strict'
const texts = ${JSON.stringify(LINK_TEXTS[language])}
const part = (id) => document.getElementById(id)
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? ''
const say = (words) => { part('trouble').textContent = ''; part('said').textContent = words }
const complain = (words) => { part('trouble').textContent = words }
const reasonOf = (answer) => texts[answer.code] ?? answer.message
const fill = (words, values) => words.replace(/\\{(\\w+)\\}/g, (_, name) => values[name] ?? '')

async function post(path, body) {
  try {
    const answer = await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    return await answer.json()
  } catch {
    return { status: 'error', message: texts.unreachable }
  }
}

// the first field that is to be filled in has the focus
function showForm() {
  part('form').hidden = false
  part('form').querySelector('input:not([readonly])').focus()
}

function whenSent(send) {
  part('form').addEventListener('submit', async (event) => {
    event.preventDefault()
    complain('')
    part('send').disabled = true
    await send()
    part('send').disabled = false
  })
}

function finish(words) {
  part('form').hidden = true
  history.replaceState(null, '', location.pathname)
  part('next').hidden = false
  say(words)
}
`

const RESET = `'use strict'
if (token === '') complain(texts.incomplete)
else showForm()

whenSent(async () => {
  if (part('password').value !== part('repeated').value) return complain(texts.different)
  const answer = await post('api/auth/password/reset', { token, new_password: part('password').value })
  if (answer.status === 'success') finish(texts.saved)
  else complain(reasonOf(answer))
})
`

const JOIN = `'use strict'
let invitation = null
const roleOf = ({ role_name: name }) => (Object.hasOwn(texts.roles, name) ? texts.roles[name] : name)

async function look() {
  if (token === '') return complain(texts.incomplete)
  const answer = await post('api/auth/invitations/preview', { token })
  if (answer.status !== 'success') {
    // who joined with it already only wants to sign in
    part('next').hidden = false
    return complain(reasonOf(answer))
  }
  invitation = answer.data
  if (invitation.logo_url !== null) {
    part('logo').src = invitation.logo_url.slice(1)
    part('logo').hidden = false
  }
  say(fill(texts.invited, { organization: invitation.organization_name, role: roleOf(invitation) }))
  if (invitation.email !== null) {
    part('email').value = invitation.email
    part('email').readOnly = true
  }
  showForm()
}

whenSent(async () => {
  const code = part('code').value.trim()
  const answer = await post('api/auth/register', {
    email: part('email').value,
    full_name: part('name').value,
    password: part('password').value,
    organization_id: invitation.organization_id,
    invitation_token: token,
    use_cookie: true,
    ...(code === '' ? {} : { code }),
  })
  if (answer.code === 'two_factor_required') part('second').hidden = false
  if (answer.status !== 'success') return complain(reasonOf(answer))
  say(fill(texts.joined, { organization: invitation.organization_name }))
  // The cookie signs in; the console only looks for it with this mark (console/api/session.ts).
  localStorage.setItem('signed-in', '1')
  location.replace('inbox')
})

look()
`

const STYLE = `:root { color-scheme: light dark; --bg: light-dark(#f4f6f5, #111517); --panel: light-dark(#fff, #191f22); --line: light-dark(#dde3e1, #2b3438); --control: light-dark(#84918d, #73827d); --text: light-dark(#15201d, #e6ecea); --muted: light-dark(#586762, #9daba7); --accent: light-dark(#0b7a5c, #45cfa3); --on-accent: light-dark(#fff, #06231a); --danger: light-dark(#b3261e, #ff9a90) }
* { box-sizing: border-box }
body { margin: 0; background: var(--bg); color: var(--text); font: 0.875rem/1.45 system-ui, 'Noto Sans', sans-serif }
main { max-width: 24rem; margin: 12vh auto 2rem; padding: 2rem; border: 1px solid var(--line); border-radius: 0.75rem; background: var(--panel); box-shadow: 0 8px 28px #0002 }
#logo { display: block; max-width: 100%; height: 3rem; margin: 0 0 1rem; object-fit: contain }
#logo[hidden] { display: none }
h1 { margin: 0 0 1rem; font-size: 1.25rem }
label { display: block; margin: 1rem 0 0.25rem; font-weight: 600 }
input, button { width: 100%; min-height: 2.5rem; padding: 0.25rem 0.75rem; border: 1px solid var(--control); border-radius: 0.5rem; background: var(--panel); color: inherit; font: inherit }
button { margin-top: 1.5rem; border-color: transparent; background: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px }
a { color: var(--accent) }
#rule { margin: 0.25rem 0 0; color: var(--muted); font-size: 0.75rem }
#trouble { color: var(--danger); font-weight: 600 }
#trouble:empty, #said:empty { display: none }
@media (max-width: 30rem) { main { margin: 1rem; padding: 1.5rem 1rem } }
`

const file = (body: string, type: string): Response =>
  new Response(body, {
    headers: {
      'content-type': `${type};charset=utf-8`,
      'content-security-policy': CONTENT_SECURITY,
      'cache-control': 'no-store',
    },
  })

const OPEN = {
  raw: 'serves only static pages; their forms send the token of a link',
  detail: { hide: true },
} as const

/**
 * Serves the pages behind links for a new password and an invitation: plain forms that post the
 * token of the link to the API. They speak the first language of the browser that the console has.
 */
export const pageRoutes = (http: Http) =>
  new Elysia()
    .use(guard(http))
    .get(
      '/reset-password',
      ({ request }) => file(resetPage(languageOf(request)), 'text/html'),
      OPEN,
    )
    .get('/join', ({ request }) => file(joinPage(languageOf(request)), 'text/html'), OPEN)
    .get(
      '/link-pages/link.js',
      ({ request }) => file(linkScript(languageOf(request)), 'text/javascript'),
      OPEN,
    )
    .get('/link-pages/reset-password.js', () => file(RESET, 'text/javascript'), OPEN)
    .get('/link-pages/join.js', () => file(JOIN, 'text/javascript'), OPEN)
    .get('/link-pages/style.css', () => file(STYLE, 'text/css'), OPEN)
