#include "app/model/first_text.h"

namespace headlight::app {

std::string_view first_text_to_learn() {
  return R"(At the end of the land, where the road stops and the sea begins, there stood a lighthouse. An old keeper
lived in it with his daughter and a grey cat. Every evening, when the sun went down, the keeper climbed the
stairs and lit the lamp. Every morning, when the sun came up, he climbed the stairs again and put it out.
There were ninety-nine stairs, and the keeper knew each of them by its sound.

The lamp did one thing. It turned, and as it turned it looked at the sea: first at the rocks, then at the
bay, then at the open water, and then at the rocks again. When it looked at the rocks, the rocks were
bright and the bay was dark. When it looked at the bay, the bay was bright and the rocks were dark. It had
only so much light to give, and what it gave to one it could not give to the other.

"Why does it not look at all of them at once?" asked the daughter.

"It could," said the keeper. "But then it would see all of them a little, and none of them well."

One evening the keeper was ill, and the daughter climbed the stairs in his place. She lit the lamp and sat
down beside it. The wind was strong that night, and the rain was strong too, and the sea was loud at the
rocks. The lamp turned and looked at the rocks, and then at the bay, and then at the open water. In the
open water there was a ship.

The daughter did not know the ship, and the ship did not know the rocks. She saw it when the lamp looked at
the open water, and then the lamp turned and she did not see it any more. She waited. The lamp looked at
the rocks, where there was nothing. The lamp looked at the bay, where there was nothing. The lamp looked at
the open water, and there was the ship again, and it was nearer than before.

"It looks where there is nothing," said the daughter to the cat, "and it looks there as long as it looks at
the ship. That is no way to look."

So she put her hand on the lamp and held it. She let it look at the ship, and when the ship came near the
rocks she let it look at the rocks as well: a little at the ship, and a little more at the rocks, and not
at all at the bay. The sailors saw the rocks, and they turned the ship, and they went round the rocks and
into the bay. Then she let the lamp look at the bay, and there they were, and there was the harbour, and
there was the end of their way.

In the morning the sun came up and the daughter put out the lamp. The keeper was better. He had heard the
lamp stop in the night, for he knew the sound of it as he knew the sound of the stairs.

"You held the lamp," said the keeper.

"I held the lamp," said the daughter. "There was a ship."

"And how did you know where the lamp should look?"

"I asked what the ship needed to know," said the daughter, "and I looked where the answer was."

The keeper thought about this for a long time. Then he went to the village and told the smith, and the
smith came with his tools and climbed the ninety-nine stairs. He made a wheel and a handle, and from that
day on the lamp did not turn by itself. Whoever kept it asked first what there was to be seen, and then
turned the lamp to where it was.

The ships that came by in the night saw the light and wondered. It did not go round and round like the
lights of other towers. It looked at them, and it looked at the rocks before them, and when they had gone
by it looked at the next ship. Some of the sailors said that the lighthouse knew them. Others said that a
light can know nothing, and that somebody must sit beside it and turn it by hand. Both of them were right,
for the daughter was the keeper now, and she knew the rocks and the bay and the open water, and she knew
each of the ninety-nine stairs by its sound.

The grey cat slept beside the lamp, where it was warm. In the evening it climbed the stairs before the
keeper, and in the morning it went down behind her to the kitchen. Once a painter came by with brushes and
a wide hat, and stayed for most of the summer. She made pictures of boats and of the village, and gave them
away for bread and plums. One of them she kept. It shows a dark tower, the open water at night, and far out
a sail that is bright as if by noon.)";
}

}  // namespace headlight::app
