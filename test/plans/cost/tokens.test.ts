import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens, lengthWithin, maxTokens } from '../../../plans/cost/tokens.js';

/** Text and what cl100k_base, o200k_base and Qwen 2.5 make of it, counted with their own tokenizers. */
const measured: [string, string, [number, number, number]][] = [
  [
    'Chinese',
    '我昨天买了这辆车，刹车在高速公路上突然失灵，我差点撞上前面的卡车。经销商说零件缺货，需要等待几个月才能维修。这个问题非常危险，希望厂家尽快召回。',
    [92, 55, 44],
  ],
  [
    'traditional Chinese',
    '這部電影的結局讓人非常失望，但是演員的表演很出色，值得一看。臺灣觀眾應該會喜歡這種風格。',
    [66, 41, 30],
  ],
  [
    'Japanese',
    '昨日この車を購入しましたが、高速道路でブレーキが突然効かなくなりました。ディーラーは部品が在庫切れだと言っています。とても危険なので早くリコールしてほしいです。',
    [81, 52, 53],
  ],
  [
    'Korean',
    '어제 이 차를 샀는데 고속도로에서 브레이크가 갑자기 고장 났습니다. 대리점에서는 부품이 없다고 합니다. 매우 위험합니다.',
    [64, 40, 45],
  ],
  ['rare Han', '龘靐齉爩鱻麤龗灪𠮷𠀋𡈽', [30, 28, 20]],
  ['emoji', '😀😂🤣😍🚗💥🔥👍🏽👩‍👩‍👧‍👦🇩🇪❤️🎉✨🙏🏼😭🥺🛑⚠️🚒🧯', [79, 47, 35]],
  ['emoji in English', 'Great car 😀👍🏽 but the brakes 💥🔥 failed!! 😭😭😭', [25, 18, 17]],
  [
    'Russian',
    'Вчера я купил этот автомобиль, и тормоза внезапно отказали на шоссе. Дилер сказал, что запчастей нет в наличии.',
    [51, 34, 39],
  ],
  ['Greek', 'Χθες αγόρασα αυτό το αυτοκίνητο και τα φρένα χάλασαν ξαφνικά στον αυτοκινητόδρομο.', [73, 33, 72]],
  [
    'Arabic',
    'اشتريت هذه السيارة أمس وتعطلت الفرامل فجأة على الطريق السريع. قال الوكيل إن القطع غير متوفرة.',
    [67, 28, 36],
  ],
  ['Hebrew', 'קניתי את המכונית הזו אתמול והבלמים נכשלו פתאום בכביש המהיר.', [58, 26, 24]],
  ['Hindi', 'मैंने कल यह कार खरीदी और राजमार्ग पर ब्रेक अचानक विफल हो गए। डीलर ने कहा कि पुर्जे उपलब्ध नहीं हैं।', [98, 34, 92]],
  ['Thai', 'เมื่อวานฉันซื้อรถคันนี้ และเบรกเสียกะทันหันบนทางหลวง ตัวแทนจำหน่ายบอกว่าไม่มีอะไหล่', [76, 37, 44]],
  ['Vietnamese', 'Hôm qua tôi mua chiếc xe này và phanh đột nhiên hỏng trên đường cao tốc.', [34, 21, 22]],
  [
    'German',
    'Gestern habe ich dieses Fahrzeug gekauft, und die Bremsen versagten plötzlich auf der Autobahn. Die Werkstatt hat keine Ersatzteile.',
    [41, 30, 41],
  ],
  ['punctuation', '!!!???...---===>>><<<###@@@$$$%%%^^^&&&***((()))', [21, 21, 21]],
  ['hex', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', [43, 43, 59]],
  ['base64', 'TG9yZW0gaXBzdW0gZG9sb3Igc2l0IGFtZXQsIGNvbnNlY3RldHVyIGFkaXBpc2NpbmcgZWxpdA==', [53, 49, 53]],
];

describe('estimateTokens', () => {
  it.each(measured)('%s: within a factor of two of three vocabularies', (_, text, counts) => {
    const estimate = estimateTokens(text);
    for (const count of counts) {
      expect(estimate).toBeGreaterThanOrEqual(count / 2);
      expect(estimate).toBeLessThanOrEqual(count * 2);
      expect(maxTokens(text)).toBeGreaterThanOrEqual(count);
    }
  });

  it('is never more than the bound, zero for nothing only, and does not shrink with more text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        expect(estimateTokens(a)).toBeLessThanOrEqual(maxTokens(a));
        expect(estimateTokens(a) === 0).toBe(a === '');
        expect(estimateTokens(a + b)).toBeGreaterThanOrEqual(estimateTokens(a));
        expect(estimateTokens(a + b)).toBeLessThanOrEqual(estimateTokens(a) + estimateTokens(b));
      }),
    );
  });

  it('bounds by the bytes of UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => maxTokens(text) === new TextEncoder().encode(text).length),
    );
  });
});

it('the longest beginning within a number of tokens: one code point more is over it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.integer({ min: 0, max: 40 }), (text, tokens) => {
      const length = lengthWithin(text, tokens);
      expect(estimateTokens(text.slice(0, length))).toBeLessThanOrEqual(tokens);
      const next = text.codePointAt(length);
      if (next === undefined) expect(length).toBe(text.length);
      else expect(estimateTokens(text.slice(0, length) + String.fromCodePoint(next))).toBeGreaterThan(tokens);
    }),
  );
});
