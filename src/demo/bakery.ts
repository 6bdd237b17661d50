import type { Business } from './business'

/** A bakery in Berlin. */
export const BAKERY: Business = {
  name: 'Sunrise Bakery',
  phone: {
    id: '301000000000001',
    wabaId: '201000000000001',
    display: '+49 30 23125 110',
    token: 'token-of-the-bakery',
  },
  germanNumbers: '4917139200',
  profile: {
    about: 'Bread, rolls and cakes, baked every night',
    address: 'Kastanienallee 12, 10435 Berlin',
    description: 'A family bakery with a small café. Order until 4 pm, fetch it from 6 am.',
    email: 'hello@sunrise-bakery.example',
    website: 'https://sunrise-bakery.example',
  },
  accent: '#b45309',
  members: [
    { email: 'marc@sunrise-bakery.example', fullName: 'Marc Dupont', role: 'manager' },
    { email: 'agent@demo.example', fullName: 'Greta Lind', role: 'agent' },
    { email: 'tom@sunrise-bakery.example', fullName: 'Tom Weber', role: 'agent' },
  ],
  teams: ['Counter', 'Cakes and catering'],
  tags: [
    ['Regular', 'green'],
    ['Newsletter', 'blue'],
    ['Catering', 'purple'],
    ['Allergy', 'red'],
  ],
  hours: ['06:00', '18:30'],
  cannedResponses: [
    [
      'Opening hours',
      'hours',
      'Hello {{ contact_name }}, we are open from *6 to 18:30*, Monday to Saturday.',
    ],
    [
      'Order a cake',
      'cake',
      'With pleasure! For how many people, for which day, and is anybody allergic to something?',
    ],
    ['Order received', 'done', 'Thank you, it is written down. We see you then! 🥐'],
    ['Out of stock', 'sold', 'I am sorry, that is sold out today. Shall I put one aside tomorrow?'],
  ],
  rules: [
    [
      'Opening hours',
      ['opening hours', 'are you open', 'geöffnet', 'öffnungszeiten'],
      'Hello {{ contact_name | default: "there" }}, we are open from 6 to 18:30, Monday to Saturday. On Sunday we sleep. 😴',
    ],
    [
      'Delivery',
      ['deliver', 'delivery', 'liefert ihr'],
      'We deliver within 5 km from 20 EUR, before nine in the morning. Order until 4 pm the day before.',
    ],
  ],
  flow: {
    name: 'Order status',
    keywords: ['my order', 'order status', 'meine bestellung'],
    question: 'What is your order number? It is on your receipt.',
    thanks: 'Thank you. A colleague looks it up and answers here.',
  },
  draft: { name: 'Welcome', template: 'welcome_menu' },
  templates: [
    {
      name: 'order_ready',
      category: 'UTILITY',
      text: 'Hello {{1}}, your order is ready. You can fetch it until {{2}}.',
      example: ['Anja', '18:30'],
    },
    {
      name: 'pumpkin_week',
      category: 'MARKETING',
      text: 'Hello {{1}}, this is pumpkin week: pumpkin bread, pumpkin rolls and our spiced pumpkin cake. Show this message and the first roll is on us. 🎃',
      example: ['Anja'],
    },
    {
      name: 'christmas_stollen',
      category: 'MARKETING',
      text: 'Hello {{1}}, our stollen has rested for four weeks and is ready. Answer with how many you would like, and we put them aside. 🎄',
      example: ['Anja'],
    },
  ],
  submitted: {
    name: 'new_year_hours',
    category: 'UTILITY',
    text: 'Hello {{1}}, on 31 December we close at 14:00 and are back on 2 January.',
    example: ['Anja'],
  },
  finished: {
    name: 'Pumpkin week',
    template: 'pumpkin_week',
    answers: {
      en: ['Yum, I come tomorrow! 🎃', 'Is the bread vegan?'],
      de: ['Super, bis Samstag!', 'Gibt es den Kuchen auch glutenfrei?'],
      fr: ['Miam, je passe samedi !'],
    },
  },
  running: {
    name: 'Stollen for regulars',
    template: 'christmas_stollen',
    answers: {
      en: ['Two please!', 'One, and one without raisins?'],
      de: ['Einen für mich, danke 🎄', 'Zwei bitte, ich hole sie am Freitag.'],
      es: ['Uno, por favor 🎄'],
    },
  },
  past: {
    en: [
      `> Good morning! Do you still have sourdough today?
       < Good morning! Four loaves left. Shall I put one aside for you?
       > Yes please, I am there at five.
       < Done, it is behind the counter under your name.`,
      `> Are you open on Saturday afternoon?
       > Perfect, thanks!`,
      `> Hi, could I order 20 rolls for tomorrow at 8?
       < Of course. Mixed, or only plain ones?
       > Mixed please 🙏
       < Written down: 20 mixed rolls, tomorrow at 8.`,
      `> Where is my order?
       > 10482
       < Hi! It is in the oven, you can fetch it from eleven.`,
      `> Do you deliver to Prenzlauer Berg?`,
      `> Is there gluten in the almond cake?
       < No flour in it at all, but we bake in the same room.
       > That is fine for me, thank you!`,
    ],
    de: [
      `> Guten Morgen, habt ihr heute noch Roggenbrot?
       < Guten Morgen! Ja, noch sechs. Soll ich eins zurücklegen?
       > Ja bitte, ich komme gegen 17 Uhr.
       < Liegt bereit. Bis später!`,
      `> Habt ihr am Samstag geöffnet?
       > Danke!`,
      `> Hallo, ich bräuchte für Freitag einen Kuchen für 12 Personen.
       < Sehr gern. Zitrone, Pflaume oder Schokolade?
       > Pflaume, mit Streuseln 😊
       < Ist notiert: Pflaume mit Streuseln für 12, Freitag ab 9 Uhr.
       > Klasse, vielen Dank!`,
      `> Was ist mit meine bestellung?
       > 10377
       < Die ist fertig und liegt an der Theke.`,
      `> Liefert ihr auch nach Pankow?
       > Super, danke.`,
      `> Kann ich noch zwei Brezeln zu morgen dazubestellen?
       < Klar, ist ergänzt.`,
    ],
    es: [
      `> Hola, ¿tienen pan sin gluten?
       < Hola, los jueves horneamos pan de arroz. ¿Le guardo uno?
       > Sí, por favor. ¡Gracias!`,
      `> Buenas, ¿cuánto cuesta una tarta para diez personas?
       < Desde 32 euros. ¿Para qué día la necesita?
       > Para el domingo, pero la recojo el sábado.
       < Perfecto, apuntada para el sábado a las 16 h.`,
    ],
    fr: [
      `> Bonjour, avez-vous encore des croissants ?
       < Bonjour ! Oui, une dizaine. Je vous en garde ?
       > Six, s'il vous plaît. J'arrive à dix heures.
       < C'est noté, à tout de suite !`,
      `> Bonjour, peut-on payer par carte ?
       < Oui, dès le premier euro. 🙂`,
    ],
    pt: [
      `> Olá, fazem pastéis de nata?
       < Olá! Sim, às sextas-feiras. Quer que guarde alguns?
       > Uma dúzia, por favor.
       < Fica guardado, até sexta!`,
    ],
    tr: [
      `> Merhaba, yarın için 15 simit alabilir miyim?
       < Merhaba! Tabii, saat yedide hazır olur.
       > Çok teşekkürler 🙏`,
    ],
  },
  today: [
    {
      name: 'Hannah Vogel',
      language: 'en',
      minutesAgo: 2,
      agent: 1,
      tags: ['Regular', 'Allergy'],
      note: 'Her son is allergic to nuts. Bake it in the small oven.',
      script: `> Hello! My son turns six next Saturday 🎂
        < How lovely! What kind of cake would you like, Hannah?
        > [cake.jpg] One like this, for twelve children
        < With pleasure: strawberries, vanilla, three candles. And we bake it without nuts, in the small oven.
        > You think of everything, thank you ❤️ How much is it?
        < 42 euros. It is ready from nine o'clock.
        > Perfect. Can my husband collect it on Friday evening?`,
    },
    {
      name: 'Leo Brandt',
      language: 'en',
      minutesAgo: 6,
      tags: ['Regular'],
      script: `> [order.ogg]`,
    },
    {
      name: 'Amelia Hughes',
      language: 'en',
      minutesAgo: 11,
      agent: 1,
      tags: ['Catering'],
      priority: 'high',
      script: `> Hi, we are a team of ten and would love breakfast in the office on Thursday.
        < Good morning Amelia! That is our "Breakfast for your office". Here is everything that is in it:
        < [menu.pdf] Breakfast for ten
        > Looks great! Could you make half of the rolls vegan?`,
    },
    {
      name: 'Camille Lambert',
      language: 'fr',
      minutesAgo: 18,
      order: [
        ['rye-bread', 2, 4.8],
        ['croissant', 4, 1.9],
      ],
      script: `> Bonjour, il vous reste du pain de seigle ?`,
    },
    {
      name: 'Emre Kaya',
      language: 'tr',
      minutesAgo: 25,
      agent: 2,
      script: `> Merhaba, cumartesi için 30 simit sipariş etmek istiyorum.
        < Merhaba Emre Bey, saat kaçta alırsınız?
        > Sekiz buçuk gibi. Teşekkürler!`,
    },
    {
      name: 'Grace Bennett',
      language: 'en',
      minutesAgo: 41,
      script: `> Where is my order?
        > 10533`,
    },
    {
      name: 'Mateo Navarro',
      language: 'es',
      minutesAgo: 63,
      agent: 1,
      order: [['country-loaf', 1, 5.2]],
      script: `> Hola, ayer compré este pan. ¡Buenísimo!
        > [bread.jpg] El de la izquierda
        < ¡Muchas gracias, Mateo! Es nuestro pan de campo, 24 horas de fermentación.
        > Guárdeme uno para mañana, por favor.
        < Guardado. ¡Hasta mañana!`,
    },
    {
      name: 'Katharina Lehmann',
      language: 'de',
      minutesAgo: 95,
      script: `> Habt ihr heute bis 19 Uhr geöffnet?
        > Ah, dann beeile ich mich. Danke!`,
    },
    {
      name: 'Beatriz Carvalho',
      language: 'pt',
      minutesAgo: 150,
      agent: 2,
      script: `> Bom dia! Ainda há pastéis de nata?
        < Bom dia Beatriz! Seis, acabados de sair do forno.
        > Já vou a caminho 😄`,
    },
    {
      name: 'Oscar Reid',
      language: 'en',
      minutesAgo: 240,
      agent: 1,
      script: `> The cinnamon rolls were the best part of our Sunday. Thank you!
        < That makes my day, Oscar. Thank you for telling us! 🥰
        > See you next weekend`,
    },
  ],
  farewells: {
    en: 'You are welcome! 🥐',
    de: 'Sehr gern! 🥐',
    es: '¡Con mucho gusto! 🥐',
    fr: 'Avec plaisir ! 🥐',
    pt: 'Sempre às ordens! 🥐',
    tr: 'Rica ederiz! 🥐',
  },
  conversationsPerDay: 2,
  remarks: {
    en: [
      'Do you have oat rolls today?',
      'Could you put a sourdough aside for me?',
      'Are you open this afternoon?',
      'How long does the carrot cake stay fresh?',
    ],
    de: [
      'Gibt es heute noch Streuselkuchen?',
      'Könnt ihr mir zwei Brote zurücklegen?',
      'Habt ihr morgen geöffnet?',
      'Sind die Brötchen vegan?',
    ],
    es: ['¿Les quedan napolitanas?', '¿A qué hora sale el pan?'],
    fr: ['Avez-vous des brioches ce matin ?', 'Puis-je commander une tarte pour demain ?'],
    pt: ['Têm pão de centeio hoje?', 'Posso encomendar um bolo para sábado?'],
    tr: ['Bugün poğaça var mı?', 'Yarın sabah kaçta açıyorsunuz?'],
  },
  replies: {
    en: [
      'Wonderful, thank you!',
      'Perfect, I am there in half an hour.',
      'That is quick, thanks! 🙏',
    ],
    de: ['Super, vielen Dank!', 'Prima, bis gleich.', 'Danke für die schnelle Antwort! 🙏'],
    es: ['¡Genial, muchas gracias!', 'Perfecto, paso luego.'],
    fr: ['Parfait, merci beaucoup !', 'Merci, à tout à l’heure.'],
    pt: ['Ótimo, muito obrigada!', 'Perfeito, até já.'],
    tr: ['Harika, teşekkürler!', 'Tamam, birazdan geliyorum.'],
  },
}
