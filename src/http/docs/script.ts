/**
 * The script of the documentation: copies code, filters the list of operations, and searches. The
 * index is loaded when somebody begins to type, as a script, so that it also works from a disk.
 */
export const SITE_SCRIPT = `const { first, place } = document.currentScript.dataset
const home = new URL(first, location.href)
const addressOf = (name, hash = '') =>
  new URL((place === 'server' ? home.pathname.split('/').at(-1) + '/' + name : name + '.html') + hash, home).href

for (const block of document.querySelectorAll('[data-copy]')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(block.querySelector('code').textContent.trimEnd())
      button.textContent = 'Copied'
    } catch {
      getSelection().selectAllChildren(block.querySelector('code'))
      button.textContent = 'Selected'
    }
    setTimeout(() => (button.textContent = 'Copy'), 2000)
  })
  block.append(button)
}

// The sidebar shows where one is.
const pages = document.querySelector('.pages')
const here = pages.querySelector('[aria-current]')
if (here && here.offsetTop > pages.clientHeight - 80) pages.scrollTop = here.offsetTop - pages.clientHeight / 2

// An address of the former viewer: #/Contacts/listContacts.
const former = /^#\\/[^/]+\\/(\\w+)$/.exec(location.hash)
if (former && document.getElementById(former[1])) document.getElementById(former[1]).querySelector('a').click()

const state = { loading: null, chosen: 0 }
const loadIndex = () =>
  (state.loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = new URL('search-index.js', document.querySelector('script[data-first]').src)
    script.addEventListener('load', () => resolve(globalThis.SWITCHBOARD_SEARCH))
    script.addEventListener('error', () => { state.loading = null; reject(new Error('The index could not be loaded.')) })
    document.head.append(script)
  }))

const splitWords = (text) => text.toLowerCase().split(/\\s+/).filter(Boolean)

/** The numbers of the operations that have a field or an error code with this beginning. */
const usersOf = (fields, word) => {
  const found = new Set()
  for (const [name, all] of Object.entries(fields))
    if (name.toLowerCase().startsWith(word)) for (const number of all.split(' ')) found.add(Number(number))
  return found
}

const filter = document.querySelector('.filter')
if (filter) {
  const input = filter.querySelector('input')
  const output = filter.querySelector('output')
  const all = [...document.querySelectorAll('section .operations li')].map((item) => ({
    item,
    text: (item.id + ' ' + item.textContent + ' ' + item.dataset.words + ' ' + item.closest('section').id).toLowerCase(),
  }))
  const show = async () => {
    const words = splitWords(input.value)
    const { fields, operations } = words.length === 0 ? { fields: {}, operations: [] } : await loadIndex().catch(() => ({ fields: {}, operations: [] }))
    if (words.join() !== splitWords(input.value).join()) return
    const byWord = words.map((word) => ({ word, ids: new Set([...usersOf(fields, word)].map((number) => operations[number][2].split('/').at(-1))) }))
    let shown = 0
    for (const { item, text } of all) {
      item.hidden = !byWord.every(({ word, ids }) => text.includes(word) || ids.has(item.id))
      if (!item.hidden) shown += 1
    }
    for (const section of document.querySelectorAll('article section'))
      section.hidden = !section.querySelector('li:not([hidden])')
    output.textContent = shown === all.length ? shown + ' operations' : shown + ' of ' + all.length + ' operations'
  }
  input.addEventListener('input', show)
  filter.hidden = false
  const asked = new URLSearchParams(location.search).get('q')
  if (asked) input.value = asked
  if (input.value !== '') show()
}

/** Words of questions, which say nothing about where the answer stands. */
const FILLERS = new Set('a an and are can do does for from how i in is it me my of on or the to what when where which why with you your'.split(' '))
const meant = (words) => {
  const left = words.map((word) => word.replace(/[?!.,]+$/, '')).filter((word) => word !== '' && !FILLERS.has(word))
  return left.length === 0 ? words : left
}

/** Pages about how it is built, which fewer people look for. */
const ABOUT = /^(?:architecture|changelog|decisions)/
const begins = (text, word) => text.split(/\\W+/).some((part) => part.startsWith(word))
/** Whether a text has a word. Two letters are a beginning. */
const has = (text, word) => (word.length < 3 ? begins(text, word) : text.includes(word))

/** How well a place fits; 0 if a word is nowhere in it. What people read stands before names of fields and codes. */
const scoreOf = ([title, context, page, hash, more], words, whole) => {
  const isName = hash !== '' && more === ''
  const isGuide = context === '' || (hash !== '' && !isName)
  // in guides, a word may be written as two: back up
  const textOf = (text) => text.toLowerCase() + (isGuide ? ' ' + text.toLowerCase().replaceAll(' ', '') : '')
  const [name, about] = [textOf(title), textOf(context)]
  const own = title.toLowerCase()
  let score = own === whole || (hash === '' && context !== '' && more.startsWith(whole + ' ')) ? 100 : own.startsWith(/[_.:]/.test(whole) ? whole : whole + ' ') ? 40 : 0
  if (isGuide && words.every((word) => has(name, word))) score += context === '' ? 30 : 15
  for (const word of words) {
    if (has(name, word)) score += begins(name, word) ? 20 : 8
    else if (has(about, word)) score += 6
    else if ((' ' + more).includes(' ' + word)) score += 3
    else return 0
  }
  return ABOUT.test(page) ? score / 4 : score
}

const resultsFor = ({ places, operations, fields }, text) => {
  const words = meant(splitWords(text))
  if (words.length === 0) return []
  const whole = words.join(' ')
  const scored = [...places, ...operations].map((entry) => [scoreOf(entry, words, whole), entry])
  for (const [name, all] of words.length === 1 ? Object.entries(fields) : [])
    if (name.toLowerCase().startsWith(whole)) {
      const count = all.split(' ').length
      const entry = [name, 'Field or code of ' + count + (count === 1 ? ' operation' : ' operations'), 'reference', '?q=' + encodeURIComponent(name), '']
      scored.push([name.toLowerCase() !== whole ? 15 : /[_.]/.test(whole) ? 90 : 30, entry])
    }
  return scored.filter(([score]) => score > 0).sort(([a], [b]) => b - a).slice(0, 20).map(([, entry]) => entry)
}

const find = document.querySelector('.find')
const dialog = document.createElement('dialog')
dialog.setAttribute('aria-label', 'Search')
dialog.innerHTML = '<form method="dialog"><input type="search" role="combobox" aria-expanded="true" aria-controls="results" aria-autocomplete="list" aria-label="Search guides, operations, fields, codes and settings" placeholder="Guides, operations, fields, codes, settings" autocomplete="off" /><button type="submit" value="close">Close</button></form><ul class="results" id="results" role="listbox" aria-label="Results"></ul><p class="said" role="status"></p>'
document.body.append(dialog)
const input = dialog.querySelector('input')
const list = dialog.querySelector('ul')
const said = dialog.querySelector('.said')

const choose = (index) => {
  const items = [...list.children]
  if (items.length === 0) return input.removeAttribute('aria-activedescendant')
  state.chosen = (index + items.length) % items.length
  items.forEach((item, at) => item.setAttribute('aria-selected', String(at === state.chosen)))
  input.setAttribute('aria-activedescendant', items[state.chosen].id)
  items[state.chosen].scrollIntoView({ block: 'nearest' })
}

const search = async () => {
  const text = input.value
  let results
  try {
    results = resultsFor(await loadIndex(), text)
  } catch ({ message }) {
    said.textContent = message
    return
  }
  if (text !== input.value) return
  list.replaceChildren(...results.map(([title, context, name, hash], index) => {
    const item = document.createElement('li')
    item.id = 'result-' + index
    item.setAttribute('role', 'option')
    item.dataset.href = addressOf(name, hash)
    const [strong, small] = [document.createElement('b'), document.createElement('small')]
    strong.textContent = title
    small.textContent = context
    item.append(strong, small)
    return item
  }))
  said.textContent = splitWords(text).length === 0 ? 'Type a word. Arrow keys choose, Enter opens.' : results.length === 0 ? 'Nothing found.' : ''
  choose(0)
}

const go = (item) => {
  if (!item) return
  dialog.close()
  location.assign(item.dataset.href)
}

const open = () => {
  if (dialog.open) return
  dialog.showModal()
  input.select()
  search()
}
find.hidden = false
find.addEventListener('click', open)
input.addEventListener('input', search)
input.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') choose(state.chosen + 1)
  else if (event.key === 'ArrowUp') choose(state.chosen - 1)
  else if (event.key === 'Enter') go(list.children[state.chosen])
  else return
  event.preventDefault()
})
dialog.addEventListener('click', (event) => {
  if (event.target === dialog) dialog.close()
  go(event.target.closest('.results li'))
})
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea, select')
  const isAsked = (event.key === '/' && !isTyping) || (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey))
  if (!isAsked) return
  event.preventDefault()
  open()
})
`
