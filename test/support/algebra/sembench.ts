import type { Attribute } from '../../../plans/relation/schema.js';
import type { Input, Instance } from '../../../plans/logical/instance.js';

/**
 * The semantic operators of the queries that CADENZA's Appendix J lists (SemBench's 55 and BioDEX's one), each query's
 * intents in our own words. What is relational around them (counts, groups, limits, set operations) is left out: an
 * operator is planned by itself, as the paper does (§1).
 */
export interface BenchQuery {
  readonly name: string;
  readonly operators: readonly Instance[];
}

const attributes = (text: string): readonly Attribute[] =>
  text.split(', ').map((item) => {
    const [name = '', type = 'VARCHAR'] = item.split(' ');
    return { name, type };
  });
const input = (name: string, key: string, schema: string): Input => ({
  name,
  key: key.split(','),
  schema: attributes(schema),
});
const query = (name: string, ...operators: readonly Instance[]): BenchQuery => ({ name, operators });
const filter = (relation: Input, intent: string): Instance => ({ template: 'filter', intent, inputs: [relation] });
const map = (relation: Input, intent: string, adds: string): Instance => ({
  template: 'map',
  intent,
  inputs: [relation],
  adds: attributes(adds),
});
const classify = (relation: Input, intent: string, add: string, labels: readonly string[]): Instance => ({
  template: 'classify',
  intent,
  inputs: [relation],
  adds: attributes(add),
  labels,
});
const join = (left: Input, right: Input, intent: string, on?: string): Instance => ({
  template: 'join',
  intent,
  inputs: [left, right],
  ...(on === undefined ? {} : { on }),
});

const reviews = input('reviews', 'reviewId', 'reviewId BIGINT, id VARCHAR, reviewText Text');
const reviews2 = input('reviews2', 'reviewId2', 'reviewId2 BIGINT, id2 VARCHAR, reviewText2 Text');
const sameMovie = 'id = id2 and reviewId <> reviewId2';
const positive = filter(reviews, 'The review is clearly positive: {reviewText}');
const opposite = join(
  reviews,
  reviews2,
  'The two reviews express opposite sentiments: {reviewText}, {reviewText2}',
  sameMovie,
);
const liking: Instance = {
  template: 'score',
  intent: 'How much did the writer of {reviewText} like the movie, from 1 to 5?',
  inputs: [reviews],
  adds: attributes('reviewScore INTEGER'),
};

const images = input('images', 'imageId', 'imageId BIGINT, image Image, city VARCHAR, station VARCHAR');
const audio = input('recordings', 'audioId', 'audioId BIGINT, audio Audio, city VARCHAR, station VARCHAR');
const seen = (animal: string): Instance => filter(images, `The picture {image} shows ${animal}`);
const heard = (animal: string): Instance => filter(audio, `{audio} is a recording of ${animal}`);

const movies = input('movies', 'movieId', 'movieId BIGINT, title VARCHAR, synopsis Text');
const roles = input('roles', 'roleId', 'roleId BIGINT, actor VARCHAR, character VARCHAR');
const tracks = input('tracks', 'trackId', 'trackId BIGINT, track VARCHAR');
const logos = input('logos', 'logoId', 'logoId BIGINT, logo Image');
const trackLogos = input('track_logos', 'trackId,logoId', 'trackId BIGINT, track VARCHAR, logoId BIGINT, logo Image');
const airlines = input('airlines', 'airlineId', 'airlineId BIGINT, airline VARCHAR, destinations Text');
const serves = (place: string): Instance => filter(airlines, `The airline flies to ${place}: {destinations}`);

const complaints = input(
  'complaints',
  'complaintId',
  'complaintId BIGINT, car_id BIGINT, crash BOOLEAN, year BIGINT, summary Text',
);
const carImages = input('car_images', 'imageId', 'imageId BIGINT, car_id BIGINT, transmission VARCHAR, photo Image');
const carAudio = input('car_audio', 'audioId', 'audioId BIGINT, car_id BIGINT, clip Audio');
const complains = (of: string): Instance => filter(complaints, `The complaint {summary} says that ${of}`);
const looks = (what: string): Instance => filter(carImages, `The photo {photo} shows a car that ${what}`);
const sounds = (what: string): Instance => filter(carAudio, `The recording {clip} is of a car that ${what}`);

const products = input('products', 'id', 'id BIGINT, price BIGINT, title VARCHAR, description Text, image Image');
const products2 = input(
  'products2',
  'id2',
  'id2 BIGINT, price2 BIGINT, title2 VARCHAR, description2 Text, image2 Image',
);
const kinds = ['Dress', 'Bottomwear', 'Socks', 'Topwear', 'Innerwear'];
const alike = 'Both are of the same color and brand: {description}, {image2}';

export const benchQueries: readonly BenchQuery[] = [
  query('Movie Q1', positive),
  query('Movie Q2', positive),
  query('Movie Q3', positive),
  query('Movie Q4', positive),
  query(
    'Movie Q5',
    join(reviews, reviews2, 'Both reviews have the same sentiment: {reviewText}, {reviewText2}', sameMovie),
  ),
  query('Movie Q6', opposite),
  query('Movie Q7', opposite),
  query(
    'Movie Q8',
    classify(reviews, 'Is the sentiment of {reviewText} positive or negative?', 'sentiment VARCHAR', [
      'positive',
      'negative',
    ]),
  ),
  query('Movie Q9', liking),
  query('Movie Q10', liking),
  query('Wildlife Q1', seen('a zebra')),
  query('Wildlife Q2', heard('elephants')),
  query('Wildlife Q3', seen('a zebra')),
  query('Wildlife Q4', heard('elephants')),
  query('Wildlife Q5', seen('an elephant'), heard('elephants')),
  query('Wildlife Q6', seen('a monkey'), heard('monkeys')),
  query('Wildlife Q7', seen('a zebra'), seen('an impala')),
  query('Wildlife Q8', seen('an elephant'), heard('elephants'), seen('a monkey'), heard('monkeys')),
  query('Wildlife Q9', seen('a monkey'), heard('monkeys')),
  query('Wildlife Q10', seen('a zebra')),
  query(
    'MMQA Q1',
    join(movies, roles, '{synopsis} names {actor} in the role of {character}'),
    map(movies, 'Who directed the movie of {synopsis}?', 'director VARCHAR'),
  ),
  query('MMQA Q2a', join(tracks, logos, '{logo} is the logo of the racetrack {track}')),
  query(
    'MMQA Q2b',
    join(tracks, logos, '{logo} is the logo of the racetrack {track}'),
    map(trackLogos, 'What is the main color of {logo}?', 'color VARCHAR'),
  ),
  query('MMQA Q3a', filter(movies, 'The movie is a comedy: {synopsis}')),
  query('MMQA Q3f', filter(movies, 'The movie is a romantic comedy: {synopsis}')),
  query('MMQA Q4', map(movies, 'Which genres has the movie of {synopsis}?', 'genres VARCHAR')),
  query('MMQA Q5', map(movies, 'Which actors does {synopsis} name?', 'actors VARCHAR')),
  query('MMQA Q6a', serves('Frankfurt')),
  query('MMQA Q6b', serves('Germany')),
  query('MMQA Q6c', serves('Europe')),
  query('MMQA Q7', serves('Europe'), join(airlines, logos, '{logo} is the logo of the airline {airline}')),
  query('Cars Q1', complains('the car was in a crash, an accident or a collision')),
  query('Cars Q2', sounds('has a dead battery')),
  query('Cars Q3', looks('is not damaged')),
  query('Cars Q4', complains('the engine has a problem')),
  query('Cars Q5', sounds('is damaged'), looks('is damaged')),
  query('Cars Q6', looks('is damaged'), sounds('is damaged'), complains('the car burned or was on fire')),
  query('Cars Q7', looks('is dented'), sounds('has worn brakes'), complains('the electrical system has a problem')),
  query('Cars Q8', looks('has punctures as well as paint scratches')),
  query('Cars Q9', looks('is torn'), sounds('has a bad ignition')),
  query(
    'Cars Q10',
    classify(complaints, 'What kind of problem does {summary} tell of?', 'problem VARCHAR', [
      'engine',
      'brakes',
      'electrical system',
      'other',
    ]),
  ),
  query('E-Commerce Q1', filter(products, 'The product is a backpack from Reebok: {description}')),
  query('E-Commerce Q2', filter(products, '{image} shows sports shoes that are mainly yellow and silver')),
  query('E-Commerce Q3', map(products, 'What is the brand, by {title} and {description}?', 'brand VARCHAR')),
  query('E-Commerce Q4', map(products, 'What is the main color in {image}?', 'color VARCHAR')),
  query(
    'E-Commerce Q5',
    classify(products, 'What kind of product is it, by {title} and {description}?', 'category VARCHAR', kinds),
  ),
  query('E-Commerce Q6', classify(products, 'What kind of product does {image} show?', 'category VARCHAR', kinds)),
  query(
    'E-Commerce Q7',
    join(
      products,
      products2,
      'Both are of the same article type and brand: {description}, {description2}',
      'id <> id2 and price <= 500 and price2 <= 500',
    ),
  ),
  query(
    'E-Commerce Q8',
    join(
      products,
      products2,
      '{image2} fits the description {description} and the title {title}',
      'length(description) >= 3000',
    ),
  ),
  query(
    'E-Commerce Q9',
    join(products, products2, 'Both images show the same article type and base color: {image}, {image2}', 'id <> id2'),
  ),
  query(
    'E-Commerce Q10',
    filter(products, '{image} shows shoes'),
    filter(products, '{image} shows bottomwear'),
    filter(products, '{image} shows topwear'),
    join(products, products2, alike, 'id <> id2'),
  ),
  query(
    'E-Commerce Q11',
    filter(products, '{image} shows shoes'),
    filter(products, '{description} is of an accessory'),
    join(products, products2, alike, 'id <> id2'),
  ),
  query(
    'E-Commerce Q12',
    map(
      products,
      'What are brand and category (topwear or bottomwear), by {title}, {description} and {image}?',
      'brand VARCHAR, category VARCHAR',
    ),
  ),
  query(
    'E-Commerce Q13',
    filter(
      products,
      'A striped blue or black sports T-shirt for men with short sleeves and a round neck, not for winter: {description}, {image}',
    ),
  ),
  query('E-Commerce Q14', {
    template: 'topk',
    intent: '{image2} is the best match of {description} and shows white socks',
    inputs: [products, products2],
    on: 'price < 130',
    k: 1,
    per: ['id'],
  }),
  query(
    'BioDEX',
    join(
      input('articles', 'articleId', 'articleId BIGINT, article Text'),
      input('reactions', 'reactionId', 'reactionId BIGINT, reaction VARCHAR'),
      'The article {article} reports the adverse drug reaction {reaction}',
    ),
  ),
];
